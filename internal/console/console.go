// Package console serves the web console that is built into the binary.
package console

import (
	"bytes"
	"cmp"
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// dist is filled by `make build`; a binary built by `go build` alone has a page
// that says so.
//
//go:embed all:dist
var dist embed.FS

// csp lets the pages use nothing but what this server sends them.
const csp = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Handler serves the console: files as they are, every other path as the page
// of its entry point, so that deep links work. Entry is "index.html" for
// customers and "admin/index.html" for staff.
func Handler(entry string) http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("embedded folder: " + err.Error())
	}
	return serve(files, entry)
}

func serve(files fs.FS, entry string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", csp)
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		info, err := fs.Stat(files, name)
		switch {
		case err == nil && !info.IsDir():
			serveFile(w, r, files, name)
		case strings.HasPrefix(name, assets):
			// A file of an older build. A page in its place would be taken for a
			// script.
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "This file is gone. Load the page again.", http.StatusNotFound)
		default:
			servePage(w, r, files, entry)
		}
	})
}

// assets is the folder whose files carry a hash of their content in their names.
const assets = "assets/"

// serveFile prefers the copy that the build compressed, so that nothing is
// compressed while someone waits.
func serveFile(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	if strings.HasPrefix(name, assets) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if _, err := fs.Stat(files, name+".br"); err == nil && takesBrotli(r) {
		w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
		w.Header().Set("Content-Encoding", "br")
		name += ".br"
	}
	http.ServeFileFS(w, r, files, name)
}

// takesBrotli reports whether the client names brotli and does not refuse it.
func takesBrotli(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "br" {
			return strings.ReplaceAll(quality, " ", "") != "q=0"
		}
	}
	return false
}

// servePage answers every address that is no file with the page of the entry
// point, which finds out itself what to show.
func servePage(w http.ResponseWriter, r *http.Request, files fs.FS, entry string) {
	page, err := fs.ReadFile(files, entry)
	if err != nil {
		page = []byte(notBuilt)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ujumbe</title></head>
<body>
<main>
<h1>Ujumbe is running</h1>
<p>The API is served here: see the <a href="/docs">API reference</a>.</p>
<p>This binary was built without the web console. To build both, run <code>make build</code> in the source folder (it needs Node), or <code>make run</code> to build and start at once.</p>
</main>
</body>
</html>
`
