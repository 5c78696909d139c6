package staff_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/staff"
)

// BenchmarkRefusalTiming tells whether the time of a refused sign-in gives its
// reason away. For each reason it reports the chance that such a refusal takes
// longer than one for a wrong password; 0.5 tells nothing. Samples are
// interleaved, on a database that flushes its commits.
func BenchmarkRefusalTiming(b *testing.B) {
	ctx := b.Context()
	db, err := database.Open(ctx, "sqlite://"+filepath.Join(b.TempDir(), "bench.db"), database.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		b.Fatal(err)
	}
	s := newService(b, db, slog.New(slog.DiscardHandler))
	password := ownerPassword
	for _, email := range []string{"wrong@example.com", "locked@example.com", "none@example.com"} {
		d := staff.Draft{Name: "Neema", Email: email, Role: staff.RoleStaff, Password: &password}
		if email == "none@example.com" {
			d.Password = nil
		}
		if _, err := s.Create(ctx, staff.Operator, d); err != nil {
			b.Fatal(err)
		}
	}
	reasons := []string{"wrong", "locked", "none", "unknown"}
	attempt := func(reason string) float64 {
		given := "not the password"
		if reason == "locked" {
			given = password
		}
		started := time.Now()
		if _, err := s.Login(ctx, reason+"@example.com", given); !fault.Is(err, fault.KindUnauthorized) {
			b.Fatalf("%s: %v", reason, err)
		}
		return float64(time.Since(started))
	}
	for range 10 {
		_, _ = s.Login(ctx, "locked@example.com", "not the password")
	}
	took := map[string][]float64{}
	for n := 0; b.Loop(); n++ {
		for i := range reasons {
			reason := reasons[(n+i)%len(reasons)]
			took[reason] = append(took[reason], attempt(reason))
		}
		// Only the case that is meant to be locked may be.
		if n%8 == 7 {
			if _, err := db.Exec(ctx, `DELETE FROM staff_lockout WHERE locked_until IS NULL`); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, reason := range reasons[1:] {
		b.ReportMetric(chanceOver(took[reason], took["wrong"]), reason+"-AUC")
	}
}

// chanceOver is the chance that a sample of xs is larger than one of ys.
func chanceOver(xs, ys []float64) float64 {
	slices.Sort(ys)
	var sum float64
	for _, x := range xs {
		below, _ := slices.BinarySearch(ys, x)
		sum += float64(below)
	}
	return sum / float64(len(xs)*len(ys))
}
