// Package console serves the web console that is built into the binary.
package console

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
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
		if info, err := fs.Stat(files, name); err == nil && !info.IsDir() {
			if strings.HasPrefix(name, "assets/") {
				// The names of assets carry a hash of their content.
				w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			}
			http.ServeFileFS(w, r, files, name)
			return
		}
		page, err := fs.ReadFile(files, entry)
		if err != nil {
			page = []byte(notBuilt)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		if r.Method != http.MethodHead {
			_, _ = w.Write(page)
		}
	})
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
