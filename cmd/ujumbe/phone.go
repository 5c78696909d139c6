package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"ujumbe/internal/phone"
)

type phoneCmd struct {
	Number string `arg:"" help:"The number as it was written, like +254712345678."`
}

func (c *phoneCmd) Run() error {
	e := phone.Explain(c.Number)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"written", c.Number}, {"number", e.Normalized}, {"calling code", e.CallingCode}, {"country", strings.TrimSpace(e.Country + " " + e.CountryName)},
		{"operator", e.Operator}, {"prefix", e.Prefix}, {"status", string(e.Status)}, {"reason", e.Reason}, {"detail", e.Detail}, {"registry", e.Registry},
	} {
		if line[1] != "" {
			fmt.Fprintf(out, "%s\t%s\n", line[0], line[1])
		}
	}
	return out.Flush()
}
