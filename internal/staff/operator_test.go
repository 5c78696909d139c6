package staff_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/session"
	"ujumbe/internal/staff"
	"ujumbe/internal/token"
)

// newService makes the rules alone, as the command line does.
func newService(t testing.TB, db *database.DB, log *slog.Logger) *staff.Service {
	t.Helper()
	now := clock.NewManual()
	keys := token.NewKeys(db, now)
	if err := keys.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages, err := mail.NewLinks("https://sms.example.com")
	if err != nil {
		t.Fatal(err)
	}
	queue := job.NewQueue(db, now, log)
	return staff.NewService(staff.Needs{
		DB: db, Clock: now, Hasher: token.NewHasher(), Signer: token.NewSigner(token.Staff, keys, now),
		Sessions: session.NewStore(db, now, session.StaffPolicy), Queue: queue, Links: onetime.New(db, now, queue, nil), Pages: pages,
		Limiter: ratelimit.New(db, now, false), Trail: audit.NewTrail(db, now), Accounts: account.NewStore(db, now), Log: log,
	})
}

func TestFirstOwnerIsMadeOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		var log bytes.Buffer
		s := newService(t, db, slog.New(slog.NewTextHandler(&log, nil)))
		for attempt, want := range []bool{true, false, false} {
			made, err := s.EnsureOwner(t.Context(), ownerEmail, ownerPassword)
			if err != nil || made != want {
				t.Fatalf("attempt %d: %v, %v", attempt, made, err)
			}
		}
		if made, err := s.EnsureOwner(t.Context(), "second@example.com", ownerPassword); made || err != nil {
			t.Errorf("with other staff: %v, %v", made, err)
		}
		if strings.Count(log.String(), ownerEmail) != 1 || strings.Contains(log.String(), ownerPassword) {
			t.Errorf("log: %s", log.String())
		}
		if _, err := s.Login(t.Context(), ownerEmail, ownerPassword); err != nil {
			t.Error(err)
		}
	})
}

func TestNodesThatStartAtOnceMakeOneOwner(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newService(t, db, slog.New(slog.DiscardHandler))
		start := func() {
			if _, err := s.EnsureOwner(t.Context(), ownerEmail, ownerPassword); err != nil {
				t.Error(err)
			}
		}
		at(start, start, start)
		if all, err := s.List(t.Context()); err != nil || len(all) != 1 || all[0].Role != staff.RoleOwner {
			t.Errorf("staff %v, %v", all, err)
		}
	})
}

func TestFirstOwnerNeedsAGoodPassword(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newService(t, db, slog.New(slog.DiscardHandler))
		if _, err := s.EnsureOwner(t.Context(), ownerEmail, "short"); !fault.Is(err, fault.KindInvalid) {
			t.Errorf("short password: %v", err)
		}
	})
}

func TestOperatorUnlocksAndResets(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newService(t, db, slog.New(slog.DiscardHandler))
		if _, err := s.EnsureOwner(ctx, ownerEmail, ownerPassword); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			_, _ = s.Login(ctx, ownerEmail, "not the password")
		}
		if _, err := s.Login(ctx, ownerEmail, ownerPassword); !fault.Is(err, fault.KindUnauthorized) {
			t.Fatalf("locked: %v", err)
		}
		if _, err := s.Unlock(ctx, staff.Operator, strings.ToUpper(ownerEmail)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Login(ctx, ownerEmail, ownerPassword); err != nil {
			t.Errorf("unlocked: %v", err)
		}

		link, err := s.ResetLink(ctx, staff.Operator, ownerEmail)
		if err != nil {
			t.Fatal(err)
		}
		raw, ok := strings.CutPrefix(link.String(), "https://sms.example.com/admin/reset-password#token=")
		if !ok {
			t.Fatalf("link %s", link)
		}
		if err := s.ResetPassword(ctx, raw, "a new password"); err != nil {
			t.Error(err)
		}
		if _, err := s.Login(ctx, ownerEmail, "a new password"); err != nil {
			t.Error(err)
		}

		for name, err := range map[string]error{
			"unlock": second(s.Unlock(ctx, staff.Operator, "stranger@example.com")),
			"reset":  second(s.ResetLink(ctx, staff.Operator, "stranger@example.com")),
		} {
			if !fault.Is(err, fault.KindNotFound) {
				t.Errorf("%s of a stranger: %v", name, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestPasswordsHashedWithOlderParametersAreHashedAnew(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newService(t, db, slog.New(slog.DiscardHandler))
		if _, err := s.EnsureOwner(ctx, ownerEmail, ownerPassword); err != nil {
			t.Fatal(err)
		}
		// ownerPassword with t=1 and 8 KiB.
		const older = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$aU/324V7jmaI47vUo8re0ZhKRyrOaJE9zlk/eA+hGrg"
		if _, err := db.Exec(ctx, `UPDATE staff SET password_hash = $1`, older); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Login(ctx, ownerEmail, ownerPassword); err != nil {
			t.Fatal(err)
		}
		var hash string
		if err := db.QueryRow(ctx, `SELECT password_hash FROM staff`).Scan(&hash); err != nil || hash == older {
			t.Errorf("hash %s, %v", hash, err)
		}
		if _, err := s.Login(ctx, ownerEmail, ownerPassword); err != nil {
			t.Error(err)
		}
	})
}

func TestDeedsAreInTheTrail(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newService(t, db, slog.New(slog.DiscardHandler))
		if _, err := s.EnsureOwner(ctx, ownerEmail, ownerPassword); err != nil {
			t.Fatal(err)
		}
		in, err := s.Login(ctx, ownerEmail, ownerPassword)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.Login(ctx, "stranger@example.com", "not the password")
		claims, err := s.Signer.Verify(ctx, in.AccessToken)
		if err != nil {
			t.Fatal(err)
		}
		sid, err := id.Parse[session.Session](claims.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		by := staff.Caller{ID: in.Staff.ID, Name: in.Staff.Name, Role: in.Staff.Role, Session: sid}
		made, err := s.Create(ctx, by, staff.Draft{Name: "Neema", Email: "neema@example.com", Role: staff.RoleStaff})
		if err != nil {
			t.Fatal(err)
		}
		name := "Zuri"
		for _, deed := range []func() error{
			func() error { return second(s.Change(ctx, by, made.ID, staff.Changes{Name: &name})) },
			func() error { return second(s.Permit(ctx, by, made.ID, staff.Permissions{staff.CRM: staff.LevelRead})) },
			func() error { return second(s.SetActive(ctx, by, made.ID, false)) },
			func() error { return second(s.SetActive(ctx, by, made.ID, false)) }, // changes nothing
			func() error { return s.ChangePassword(ctx, by, ownerPassword, "a new password") },
			func() error { return s.RequestReset(ctx, ownerEmail) },
		} {
			if err := deed(); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			"system staff.created owner@staff.example.com as owner",
			"staff session.signed_in by password",
			"stranger session.sign_in_failed staff",
			"staff staff.created neema@example.com as staff",
			"staff staff.changed neema@example.com",
			"staff staff.permissions_changed neema@example.com: crm=read",
			"staff staff.activity_changed neema@example.com deactivated",
			"staff user.password_changed own",
			"stranger user.password_reset_requested staff",
		}
		have, err := trail(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(have, "\n") != strings.Join(want, "\n") {
			t.Errorf("trail:\n%s", strings.Join(have, "\n"))
		}
	})
}

func trail(ctx context.Context, db *database.DB) ([]string, error) {
	return database.Collect(ctx, db, func(row database.Row) (string, error) {
		var kind, action, target string
		err := row.Scan(&kind, &action, &target)
		return kind + " " + action + " " + target, err
	}, `SELECT actor_kind, action, target FROM audit ORDER BY id`)
}
