package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"ujumbe/internal/blob"
	"ujumbe/internal/fault"
)

const publicBase = "https://app.example.com"

// eachStorage runs a test on a folder and on an S3 server.
func eachStorage(t *testing.T, test func(*testing.T, *blob.Store)) {
	t.Run("folder", func(t *testing.T) {
		test(t, open(t, "file://"+filepath.ToSlash(t.TempDir())+"/made/when/missing"))
	})
	t.Run("s3", func(t *testing.T) { test(t, open(t, s3URL(t, s3Server(t)))) })
}

func open(t *testing.T, storage string) *blob.Store {
	t.Helper()
	store, err := blob.Open(t.Context(), storage, publicBase)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

const bucketName = "photos-of-tests"

func s3Server(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(bucketName); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return server.URL
}

// s3URL names a bucket at an endpoint, with the credentials where operators put
// them.
func s3URL(t *testing.T, endpoint string) string {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return "s3://" + bucketName + "?" + url.Values{"region": {"us-east-1"}, "endpoint": {endpoint}}.Encode()
}

func newKey(t testing.TB, contentType string) string {
	t.Helper()
	key, err := blob.NewPhotoKey(contentType)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// stored puts a photo and returns its key.
func stored(t *testing.T, store *blob.Store, contentType string, data []byte) string {
	t.Helper()
	key := newKey(t, contentType)
	if err := store.Put(t.Context(), key, contentType, data); err != nil {
		t.Fatal(err)
	}
	return key
}

func TestStoreKeepsPhotos(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		photos := map[string][]byte{}
		for contentType, data := range map[string][]byte{
			"image/jpeg": jpegOf(t, noise(300, 300)),
			"image/png":  pngOf(t, quarters(2, 2)),
		} {
			photos[stored(t, store, contentType, data)] = data
		}
		for key, want := range photos {
			if got, err := store.Get(t.Context(), key); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want))
			}
		}
	})
}

func TestStoreReplacesWhatIsUnderAKey(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		key := stored(t, store, "image/png", []byte("first and longer"))
		if err := store.Put(t.Context(), key, "image/png", []byte("second")); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Get(t.Context(), key); err != nil || string(got) != "second" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestStoreDeletesOnePhotoAndOnlyThat(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		gone, kept := stored(t, store, "image/jpeg", []byte("old")), stored(t, store, "image/jpeg", []byte("new"))
		for range 2 { // the second time there is nothing left to delete
			if err := store.Delete(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
		}
		_, err := store.Get(t.Context(), gone)
		wantFault(t, err, fault.KindNotFound, "photo_not_found")
		if _, err := store.Get(t.Context(), kept); err != nil {
			t.Errorf("the other photo: %v", err)
		}
	})
}

func TestStoreKnowsNoOtherKeysThanItsOwn(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		good := stored(t, store, "image/jpeg", []byte("photo"))
		stem := strings.TrimSuffix(good, ".jpg")
		for _, key := range []string{
			"", ".", "..", "/", "photos", "photos/" + good, "../" + good, "./" + good, good + "/", good + "\x00", good + "\n",
			strings.ToUpper(good), stem, stem + ".png", stem + ".jpeg", stem + ".jpg.png", stem[1:] + ".jpg", "x" + good,
			stem + ".svg", `..\` + good, newKey(t, "image/jpeg"),
		} {
			_, err := store.Get(t.Context(), key)
			wantFault(t, err, fault.KindNotFound, "photo_not_found")
			if err := store.Delete(t.Context(), key); err != nil {
				t.Errorf("delete %q: %v", key, err)
			}
			if key != stem+".png" && store.Put(t.Context(), key, "image/png", nil) == nil {
				t.Errorf("something can be put under %q", key)
			}
		}
		if _, err := store.Get(t.Context(), good); err != nil {
			t.Errorf("the photo itself: %v", err)
		}
	})
}

func TestPutRefusesWhatIsNoPhoto(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		key := newKey(t, "image/jpeg")
		if store.Put(t.Context(), key, "text/html", []byte("<script>")) == nil {
			t.Error("a page was stored under the key of a photo")
		}
		if store.Put(t.Context(), key, "image/jpeg", make([]byte, 5<<20)) == nil {
			t.Error("five megabytes were stored as a photo")
		}
		_, err := store.Get(t.Context(), key)
		wantFault(t, err, fault.KindNotFound, "photo_not_found")
	})
}

func TestStoreTellsACallerWhoLeftFromStorageThatIsDown(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	store := open(t, s3URL(t, s3Server(t)))
	if _, err := store.Get(left, newKey(t, "image/png")); !errors.Is(err, context.Canceled) || fault.Code(err) != "" {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestKeysCannotBeGuessed(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		key := newKey(t, "image/jpeg")
		if len(key) != 32+len(".jpg") || seen[key] {
			t.Fatalf("key %q is short or was there before", key)
		}
		seen[key] = true
	}
	if _, err := blob.NewPhotoKey("image/svg+xml"); err == nil {
		t.Error("there is a key for a type that is never stored")
	}
}

func TestURLIsBelowThePublicBase(t *testing.T) {
	for _, base := range []string{publicBase, publicBase + "/"} {
		store, err := blob.Open(t.Context(), "file://"+t.TempDir(), base)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := store.URL("abc.jpg"), "https://app.example.com/photos/abc.jpg"; got != want {
			t.Errorf("URL %s, want %s", got, want)
		}
	}
}

func TestFolderIsPrivateAndHoldsNothingButPhotos(t *testing.T) {
	root := filepath.Join(t.TempDir(), "blobs")
	store := open(t, "file://"+root)
	stored(t, store, "image/jpeg", []byte("one"))
	key := stored(t, store, "image/png", []byte("two"))
	if err := store.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	var files int
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			files++
			return nil
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || files != 1 {
		t.Errorf("%d files, %v; want the one photo", files, err)
	}
}

func TestFolderThatCannotBeWrittenIsUnavailable(t *testing.T) {
	root := t.TempDir()
	store := open(t, "file://"+root)
	// A file where the folder of photos should be stops even the superuser.
	if err := os.WriteFile(filepath.Join(root, "photos"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := store.Put(t.Context(), newKey(t, "image/png"), "image/png", []byte("photo"))
	wantFault(t, err, fault.KindUnavailable, "storage_unavailable")
}

func TestOpenExplainsAURLItCannotUse(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for storage, word := range map[string]string{
		"":                        "file:///",
		"/var/blobs":              "file:///",
		"ftp://example.com/blobs": "file:///",
		"file://data/blobs":       "three slashes",
		"file:///":                "folder is missing",
		"file://" + file:          "not a directory",
		"file:///tmp?colour=red":  "colour",
		"s3://bucket":             "region",
		"s3://?region=us-east-1":  "bucket",
		"s3://b?region=x&colour=": "colour",
		"::":                      "scheme",
	} {
		if _, err := blob.Open(t.Context(), storage, publicBase); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: error %v, want one about %q", storage, err, word)
		}
	}
}

// Nothing listens at the endpoint, and yet the store opens; what fails is its
// use.
func TestDeadS3IsUnavailable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "http://" + listener.Addr().String()
	listener.Close()
	store := open(t, s3URL(t, endpoint))
	store.SetTimeout(500 * time.Millisecond) // or each call tries again for two seconds
	wantUnavailable(t, store)
}

func TestS3ThatNeverAnswersIsUnavailable(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(stop) })
	store := open(t, s3URL(t, server.URL))
	store.SetTimeout(100 * time.Millisecond)
	wantUnavailable(t, store)
}

func TestS3WithoutItsBucketTakesNoPhotos(t *testing.T) {
	store := open(t, strings.Replace(s3URL(t, s3Server(t)), bucketName, "no-such-bucket", 1))
	err := store.Put(t.Context(), newKey(t, "image/png"), "image/png", []byte("photo"))
	wantFault(t, err, fault.KindUnavailable, "storage_unavailable")
}

func wantUnavailable(t *testing.T, store *blob.Store) {
	t.Helper()
	key := newKey(t, "image/jpeg")
	_, getErr := store.Get(t.Context(), key)
	for _, err := range []error{
		getErr,
		store.Put(t.Context(), key, "image/jpeg", []byte("photo")),
		store.Delete(t.Context(), key),
	} {
		wantFault(t, err, fault.KindUnavailable, "storage_unavailable")
	}
}
