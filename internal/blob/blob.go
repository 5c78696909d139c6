// Package blob makes profile photos safe and small, keeps them in a folder or
// in object storage, and serves them.
//
// Where they are kept is one URL, in the form of the Go CDK:
//
//	file:///var/lib/ujumbe/blobs
//	s3://bucket?region=eu-west-1
//	s3://bucket?region=us-east-1&endpoint=https://minio.example.com
//
// The credentials for s3 come from where Amazon's own tools find them: the
// variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role
// of the machine. The bucket stays private: photos are served by this package
// from either kind of storage, so that the headers that make them harmless are
// always there and the URL of a photo outlives a change of storage.
package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	cdk "gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"ujumbe/internal/fault"
)

const (
	// timeout bounds each call to the storage, retries included, so that a dead
	// object store costs a caller seconds and not a connection.
	timeout    = 10 * time.Second
	retryAfter = 30 * time.Second

	// maxObject is far above the largest photo Photo can make (512 by 512
	// pixels of four bytes each) and bounds what a read can cost.
	maxObject = 4 << 20
)

var errNotFound = fault.NotFound("photo_not_found", "There is no photo at this address; it may have been replaced.")

var errUnavailable = fault.Unavailable("storage_unavailable",
	"The photo storage cannot be reached just now. Try again in a minute.", retryAfter)

// Store keeps photos by key. It is safe for concurrent use.
type Store struct {
	bucket  *cdk.Bucket
	base    string
	timeout time.Duration
}

// Open returns the storage at url. A folder is made when it is missing; object
// storage is not contacted until it is first used, so a server starts although
// its storage is down. publicBase is what the URLs of photos begin with.
func Open(ctx context.Context, url, publicBase string) (*Store, error) {
	bucket, err := openBucket(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open photo storage: %w", err)
	}
	return &Store{bucket: bucket, base: strings.TrimRight(publicBase, "/"), timeout: timeout}, nil
}

// Close waits for calls under way and lets the storage go.
func (s *Store) Close() error { return s.bucket.Close() }

// Put stores data under a key of NewPhotoKey. Once it returns nil the photo is
// there; after an error there is none.
func (s *Store) Put(ctx context.Context, key, contentType string, data []byte) error {
	if known, ok := contentTypeOf(key); !ok || known != contentType {
		return fmt.Errorf("put photo: key %q is not one for %q", key, contentType)
	}
	if len(data) > maxObject {
		return fmt.Errorf("put photo %s: %d bytes is more than any photo has", key, len(data))
	}
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.bucket.Upload(bounded, object(key), bytes.NewReader(data), &cdk.WriterOptions{
		ContentType:    contentType,
		MaxConcurrency: 1,
	})
	if err != nil {
		return unavailable(ctx, "put", key, err)
	}
	return nil
}

// Get returns the photo under key.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if _, ok := contentTypeOf(key); !ok {
		return nil, errNotFound
	}
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	data, err := s.read(bounded, key)
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
		return nil, errNotFound
	case err != nil:
		return nil, unavailable(ctx, "get", key, err)
	}
	return data, nil
}

func (s *Store) read(ctx context.Context, key string) ([]byte, error) {
	r, err := s.bucket.NewReader(ctx, object(key), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, maxObject+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxObject {
		return nil, errors.New("the stored object is larger than any photo")
	}
	return data, nil
}

// Delete removes the photo under key; one that is not there is no error.
func (s *Store) Delete(ctx context.Context, key string) error {
	if _, ok := contentTypeOf(key); !ok {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.bucket.Delete(bounded, object(key))
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return unavailable(ctx, "delete", key, err)
	}
	return nil
}

// unavailable is a failed call as the caller sees it, with the cause for the
// log. Whatever the storage says, full, forbidden or unreachable, nobody but the
// operator can mend it. A caller who has left is no failure of the storage.
func unavailable(ctx context.Context, operation, key string, cause error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s photo %s: %w", operation, key, ctx.Err())
	}
	return fmt.Errorf("%s photo %s: %w: %w", operation, key, errUnavailable, cause)
}
