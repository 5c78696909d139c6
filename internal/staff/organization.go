package staff

import (
	"context"
	"fmt"
	"strings"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// Organization is a customer as the staff see it.
type Organization struct {
	ID           account.ID     `json:"id"`
	Name         string         `json:"name"`
	Status       account.Status `json:"status" enum:"active,suspended"`
	Country      string         `json:"country" example:"KE"`
	CreatedAt    clock.Time     `json:"createdAt"`
	UserCount    int64          `json:"userCount" doc:"Active members."`
	ContactCount int64          `json:"contactCount" doc:"Contacts that are not in the trash."`
}

var errNoOrganization = fault.NotFound("account_not_found", "There is no organization with this id.")

// organizations reads a page of accounts, chosen by a condition, and what belongs
// to just those. Contacts are counted by the count that their package maintains
// under the key all, whatever their number.
func organizations(ctx context.Context, q database.Querier, chosen string, args ...any) ([]Organization, error) {
	all, err := database.Collect(ctx, q, func(row database.Row) (Organization, error) {
		var o Organization
		err := row.Scan(&o.ID, &o.Name, &o.Status, &o.Country, &o.CreatedAt, &o.UserCount, &o.ContactCount)
		return o, err
	}, `SELECT a.id, a.name, a.status, a.country, a.created_at,
			(SELECT COUNT(*) FROM membership m WHERE m.account_id = a.id AND m.is_active),
			(SELECT CAST(COALESCE(SUM(c.count), 0) AS BIGINT) FROM contact_count c WHERE c.account_id = a.id AND c.key = 'all')
		FROM (SELECT id, name, status, country, created_at FROM account WHERE `+chosen+`) a ORDER BY a.id DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("read organizations: %w", err)
	}
	return all, nil
}

// named is the condition of a search by name. SQLite folds the case of ASCII
// letters only, so a name with others is found as it is typed.
const named = `($1 = '' OR LOWER(name) LIKE $2 ESCAPE '\' OR name LIKE $3 ESCAPE '\')`

// Organizations returns one page of the customers whose name contains a text,
// newest first, and how many there are.
func (s *Service) Organizations(ctx context.Context, search string, page httpapi.Page) ([]Organization, int64, error) {
	search = strings.TrimSpace(search)
	args := []any{search, database.Containing(strings.ToLower(search)), database.Containing(search)}
	var total int64
	if err := s.DB.QueryRow(ctx, `SELECT COUNT(*) FROM account WHERE `+named, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count organizations: %w", err)
	}
	found, err := organizations(ctx, s.DB, named+` ORDER BY id DESC LIMIT $4 OFFSET $5`, append(args, page.Size, page.Offset())...)
	return found, total, err
}

// Organization returns one customer.
func (s *Service) Organization(ctx context.Context, org account.ID) (Organization, error) {
	return findOrganization(ctx, s.DB, org)
}

func findOrganization(ctx context.Context, q database.Querier, org account.ID) (Organization, error) {
	found, err := organizations(ctx, q, `id = $1`, org)
	if err != nil {
		return Organization{}, err
	}
	if len(found) == 0 {
		return Organization{}, errNoOrganization
	}
	return found[0], nil
}

// SetOrganizationStatus suspends a customer or lets them work again. It is told
// in their own trail and in the platform's.
func (s *Service) SetOrganizationStatus(ctx context.Context, by Caller, org account.ID, status account.Status) (Organization, error) {
	var o Organization
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		changed, err := s.Accounts.SetStatus(ctx, tx, org, status)
		if err != nil {
			return err
		}
		if o, err = findOrganization(ctx, tx, org); err != nil || !changed {
			return err
		}
		theirs := by.did(audit.AccountStatus, string(status))
		theirs.Account = id.Of[audit.Organization](org)
		ours := by.did(audit.AccountStatus, fmt.Sprintf("%s (%s): %s", o.Name, o.ID, status))
		if err := s.Trail.Write(ctx, tx, theirs); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, ours)
	})
	return o, err
}
