package staff

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
)

// store has the SQL of staff members and their permissions.
type store struct {
	clock clock.Clock
}

const memberColumns = `id, name, email, role, phone, is_active, created_at`

func scanMember(row database.Row) (Member, error) {
	var m Member
	err := row.Scan(&m.ID, &m.Name, &m.Email, &m.Role, &m.Phone, &m.IsActive, &m.CreatedAt)
	return m, err
}

// one reads the member that a query finds; errUnknown without one.
func one(row database.Row) (Member, error) {
	m, err := scanMember(row)
	if errors.Is(err, database.ErrNoRows) {
		return Member{}, errUnknown
	}
	if err != nil {
		return Member{}, fmt.Errorf("read staff member: %w", err)
	}
	return m, nil
}

func (s *store) find(ctx context.Context, q database.Querier, member ID) (Member, error) {
	return one(q.QueryRow(ctx, `SELECT `+memberColumns+` FROM staff WHERE id = $1`, member))
}

// roleOfSession selects the role of the active member whose session s is.
const roleOfSession = `SELECT m.role FROM staff m WHERE m.id = s.subject_id AND m.is_active`

func (s *store) byEmail(ctx context.Context, q database.Querier, email string) (Member, error) {
	return one(q.QueryRow(ctx, `SELECT `+memberColumns+` FROM staff WHERE email_key = $1`, mail.AddressKey(email)))
}

func (s *store) all(ctx context.Context, q database.Querier) ([]Member, error) {
	members, err := database.Collect(ctx, q, scanMember, `SELECT `+memberColumns+` FROM staff ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list staff: %w", err)
	}
	return members, nil
}

func (s *store) none(ctx context.Context, q database.Querier) (bool, error) {
	var some bool
	if err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM staff)`).Scan(&some); err != nil {
		return false, fmt.Errorf("look for staff: %w", err)
	}
	return !some, nil
}

// insert adds a member; an empty hash is no password.
func (s *store) insert(ctx context.Context, tx database.Tx, d Draft, hash string) (Member, error) {
	m := Member{ID: id.New[Member](), Name: d.Name, Email: d.Email, Role: d.Role, IsActive: true, CreatedAt: s.clock.Now()}
	n, err := tx.Exec(ctx, `INSERT INTO staff (id, name, email, email_key, password_hash, role, is_active, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (email_key) DO NOTHING`,
		m.ID, m.Name, m.Email, mail.AddressKey(m.Email), database.OrNull(hash), m.Role, m.IsActive, m.CreatedAt)
	if err != nil {
		return Member{}, fmt.Errorf("insert staff member: %w", err)
	}
	if n == 0 {
		return Member{}, errEmailTaken
	}
	return m, nil
}

func (s *store) update(ctx context.Context, tx database.Tx, m Member) error {
	err := tx.Queue(ctx, `UPDATE staff SET name = $1, phone = $2, updated_at = $3 WHERE id = $4`, m.Name, m.Phone, s.clock.Now(), m.ID)
	if err != nil {
		return fmt.Errorf("update staff member: %w", err)
	}
	return nil
}

func (s *store) setActive(ctx context.Context, tx database.Tx, member ID, active bool) error {
	err := tx.Queue(ctx, `UPDATE staff SET is_active = $1, updated_at = $2 WHERE id = $3`, active, s.clock.Now(), member)
	if err != nil {
		return fmt.Errorf("update staff member: %w", err)
	}
	return nil
}

// lock reads a member and keeps others from changing them until the transaction
// ends. SQLite has one writer at a time anyway.
func (s *store) lock(ctx context.Context, tx database.Tx, member ID) (Member, error) {
	return one(tx.QueryRow(ctx, `SELECT `+memberColumns+` FROM staff WHERE id = $1`+database.Locking(tx.Engine(), "FOR UPDATE"), member))
}

// lockOwners returns the active owners and keeps that set as it is until the
// transaction ends. All lock in the order of ids, so none waits for another in a
// circle.
func (s *store) lockOwners(ctx context.Context, tx database.Tx) ([]ID, error) {
	owners, err := database.Collect(ctx, tx, database.Column[ID],
		`SELECT id FROM staff WHERE role = $1 AND is_active ORDER BY id`+database.Locking(tx.Engine(), "FOR UPDATE"), RoleOwner)
	if err != nil {
		return nil, fmt.Errorf("lock owners: %w", err)
	}
	return owners, nil
}

// credentials are what a sign-in is checked against; empty for an unknown
// address.
type credentials struct {
	member ID
	hash   string
	active bool
}

func (s *store) credentials(ctx context.Context, q database.Querier, emailKey string) (credentials, error) {
	return readCredentials(q.QueryRow(ctx, `SELECT id, COALESCE(password_hash, ''), is_active FROM staff WHERE email_key = $1`, emailKey))
}

func (s *store) credentialsOf(ctx context.Context, q database.Querier, member ID) (credentials, string, error) {
	var emailKey string
	c, err := readCredentials(q.QueryRow(ctx, `SELECT id, COALESCE(password_hash, ''), is_active, email_key FROM staff WHERE id = $1`, member), &emailKey)
	return c, emailKey, err
}

func readCredentials(row database.Row, more ...any) (credentials, error) {
	var c credentials
	err := row.Scan(append([]any{&c.member, &c.hash, &c.active}, more...)...)
	if errors.Is(err, database.ErrNoRows) {
		return credentials{}, nil
	}
	if err != nil {
		return credentials{}, fmt.Errorf("read credentials: %w", err)
	}
	return c, nil
}

// enter notes a sign-in, if the member is still active and the password still
// the one that was compared. The update also makes a deactivation wait, so that
// it ends the session about to begin.
func (s *store) enter(ctx context.Context, tx database.Tx, c credentials, rehash string) (Member, error) {
	return one(tx.QueryRow(ctx, `UPDATE staff SET last_login_at = $1, password_hash = COALESCE($2, password_hash)
		WHERE id = $3 AND is_active AND password_hash = $4 RETURNING `+memberColumns, s.clock.Now(), database.OrNull(rehash), c.member, c.hash))
}

// exchangePassword replaces a password that is still the one compared.
func (s *store) exchangePassword(ctx context.Context, tx database.Tx, c credentials, hash string) (Member, error) {
	return one(tx.QueryRow(ctx, `UPDATE staff SET password_hash = $1, updated_at = $2
		WHERE id = $3 AND is_active AND password_hash = $4 RETURNING `+memberColumns, hash, s.clock.Now(), c.member, c.hash))
}

// setPassword sets the password of an active member who has the address still.
func (s *store) setPassword(ctx context.Context, tx database.Tx, member ID, emailKey, hash string) (Member, error) {
	return one(tx.QueryRow(ctx, `UPDATE staff SET password_hash = $1, updated_at = $2
		WHERE id = $3 AND is_active AND email_key = $4 RETURNING `+memberColumns, hash, s.clock.Now(), member, emailKey))
}

func (s *store) permissions(ctx context.Context, q database.Querier, member ID) (Permissions, error) {
	stored := Permissions{}
	err := database.Each(ctx, q, func(row database.Row) error {
		var (
			module Module
			level  Level
		)
		err := row.Scan(&module, &level)
		stored[module] = level
		return err
	}, `SELECT module, level FROM staff_permission WHERE staff_id = $1`, member)
	if err != nil {
		return nil, fmt.Errorf("read permissions: %w", err)
	}
	return stored, nil
}

// permit stores the modules that a change names and leaves the others alone.
func (s *store) permit(ctx context.Context, tx database.Tx, member ID, change Permissions) error {
	for _, module := range change.named() {
		err := tx.Queue(ctx, `INSERT INTO staff_permission (staff_id, module, level) VALUES ($1, $2, $3)
			ON CONFLICT (staff_id, module) DO UPDATE SET level = excluded.level`, member, module, change[module])
		if err != nil {
			return fmt.Errorf("store permission: %w", err)
		}
	}
	return nil
}
