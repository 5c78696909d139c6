package blob

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	cdk "gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/s3blob"
)

// openBucket opens what rawURL names. The drivers are called directly and not
// through the Go CDK's registry, which would give each its own defaults.
func openBucket(ctx context.Context, rawURL string) (*cdk.Bucket, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case fileblob.Scheme:
		return openFolder(ctx, u)
	case s3blob.Scheme:
		return openS3(ctx, u)
	}
	return nil, fmt.Errorf("%q: want a URL like file:///absolute/folder or s3://bucket?region=…", rawURL)
}

func openFolder(ctx context.Context, u *url.URL) (*cdk.Bucket, error) {
	// The driver would drop any other host, and so file://data/blobs would mean
	// the folder /blobs.
	if u.Host != "" && u.Host != "localhost" && u.Host != "." {
		return nil, fmt.Errorf("%q: write three slashes before an absolute folder, file:///absolute/folder", u)
	}
	if strings.Trim(u.Path, "/") == "" {
		return nil, fmt.Errorf("%q: the folder is missing, want file:///absolute/folder", u)
	}
	opener := fileblob.URLOpener{Options: fileblob.Options{
		CreateDir:   true,
		DirFileMode: 0o700,
		// The folder may be on another disk than the system's temporary files,
		// and a rename between disks fails.
		NoTempDir: true,
		// The type is in the key; a second file per photo would say nothing.
		Metadata: fileblob.MetadataDontWrite,
	}}
	return opener.OpenBucketURL(ctx, u)
}

func openS3(ctx context.Context, u *url.URL) (*cdk.Bucket, error) {
	bucket, err := new(s3blob.URLOpener).OpenBucketURL(ctx, compatible(u))
	if err != nil {
		return nil, err
	}
	// Without a region every call would fail, the first of them at the first
	// upload. The SDK knows it now.
	var client *s3.Client
	if bucket.As(&client) && client.Options().Region == "" {
		return nil, errors.Join(
			fmt.Errorf("%q: the region is missing, add region=… or set AWS_REGION", u),
			bucket.Close())
	}
	return bucket, nil
}

// compatible adds what servers other than Amazon's need, where the URL does not
// say otherwise: the bucket in the path, since most have no host name per
// bucket, and no checksum trailers, which several refuse.
func compatible(u *url.URL) *url.URL {
	query := u.Query()
	if !query.Has("endpoint") {
		return u
	}
	for name, value := range map[string]string{
		"use_path_style":               "true",
		"request_checksum_calculation": "when_required",
		"response_checksum_validation": "when_required",
	} {
		if !query.Has(name) {
			query.Set(name, value)
		}
	}
	with := *u
	with.RawQuery = query.Encode()
	return &with
}
