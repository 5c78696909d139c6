package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// unit is what a figure counts, and whether more of it is better.
type unit struct {
	name   string
	isCost bool
	digits int
}

var (
	perSecond     = unit{name: "req/s"}
	rowsPerSecond = unit{name: "rows/s"}
	milliseconds  = unit{name: "ms", isCost: true, digits: 1}
	nanoseconds   = unit{name: "ns", isCost: true}
	mebibytes     = unit{name: "MiB", isCost: true}
	count         = unit{isCost: true}
)

func (u unit) format(value float64) string {
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", u.digits, value, u.name))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// row is one line of the table.
type row struct {
	path    string
	engine  string
	unit    unit
	figure  float64
	against string
	limit   float64 // 0: there is none
}

// ratio is how often the figure meets its limit, above 1 for better, whether
// more or less is better.
func (r row) ratio() string {
	switch {
	case r.limit == 0 || r.figure == 0:
		return ""
	case r.unit.isCost:
		return fmt.Sprintf("%.2f", r.limit/r.figure)
	}
	return fmt.Sprintf("%.2f", r.figure/r.limit)
}

type table struct {
	rows []row
}

func (t *table) add(r row) { t.rows = append(t.rows, r) }

func (t *table) print(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%d cores, %s. Ratio above 1: better than the limit or rival.\n\n", runtime.NumCPU(), time.Now().UTC().Format("2006-01-02 15:04 MST"))
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "PATH\tENGINE\tFIGURE\tLIMIT\tRATIO\tLIMIT IS")
	for _, r := range t.rows {
		limit := ""
		if r.limit != 0 {
			limit = r.unit.format(r.limit)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", r.path, r.engine, r.unit.format(r.figure), limit, r.ratio(), r.against)
	}
	_ = out.Flush()
}

// growth is how figures change with the number of contacts.
type growth struct {
	cells []cell
}

type cell struct {
	path, engine string
	size         int
	figure       string
}

func (g *growth) add(path, engine string, size int, figure string) {
	g.cells = append(g.cells, cell{path, engine, size, figure})
}

func (g *growth) print(w io.Writer) {
	var (
		sizes []int
		names [][2]string
	)
	for _, c := range g.cells {
		if !slices.Contains(sizes, c.size) {
			sizes = append(sizes, c.size)
		}
		if name := [2]string{c.path, c.engine}; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(sizes) == 0 {
		return
	}
	slices.Sort(sizes)
	fmt.Fprint(w, "\nBy contacts of the organization:\n\n")
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heads := []string{"PATH", "ENGINE"}
	for _, size := range sizes {
		heads = append(heads, grouped(size))
	}
	fmt.Fprintln(out, strings.Join(heads, "\t"))
	for _, name := range names {
		line := []string{name[0], name[1]}
		for _, size := range sizes {
			at := slices.IndexFunc(g.cells, func(c cell) bool { return c.path == name[0] && c.engine == name[1] && c.size == size })
			if at < 0 {
				line = append(line, "")
				continue
			}
			line = append(line, g.cells[at].figure)
		}
		fmt.Fprintln(out, strings.Join(line, "\t"))
	}
	_ = out.Flush()
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
