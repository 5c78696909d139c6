package contact

import (
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/phone"
)

// row is an active contact as it is stored.
type row struct {
	Draft
	id       ID
	created  clock.Time
	updated  clock.Time
	imported *ImportID
	optedOut bool
	network  network
	lists    []ListID
	position int // in the chunk it came with
}

// network is what the registry says of a number: its country, "" when unknown,
// and its operator, "" for a number on no known network.
type network struct {
	country, operator string
}

func networkOf(n phone.Number) network {
	found := n.Network()
	if !found.Known() {
		country, _ := n.Country()
		return network{country: country.ISO}
	}
	return network{found.Country(), found.Operator()}
}

// key is how the network is counted.
func (w network) key() string { return w.country + ":" + w.operator }

// status is the validation status of a number on the network, with the reason
// for an invalid one.
func (w network) status() (status string, reason *string) {
	if w.operator == "" {
		return string(phone.StatusInvalid), database.OrNull(phone.ReasonUnknownNetwork)
	}
	return string(phone.StatusValid), nil
}

const (
	// rowColumns are what contactOf scans.
	rowColumns = `c.id, c.phone, c.first_name, c.last_name, c.email, c.tags, c.notes, c.is_opted_out, c.created_at, c.updated_at`
	// storedColumns are what rowOf scans.
	storedColumns = rowColumns + `, c.import_id, c.country, c.operator`
)

// contactOf reads a contact, all but its lists.
func contactOf(found database.Row) (Contact, error) {
	c := Contact{ListIDs: []ListID{}}
	var (
		number int64
		tags   Tags
	)
	err := found.Scan(&c.ID, &number, &c.FirstName, &c.LastName, &c.Email, &tags, &c.Notes, &c.IsOptedOut, &c.CreatedAt, &c.UpdatedAt)
	c.Phone, c.Tags = phone.Number(number), tags.Split()
	return c, err
}

// rowOf reads a contact as it is stored, all but its lists.
func rowOf(found database.Row) (*row, error) {
	var (
		r                         = &row{}
		number                    int64
		first, last, email, notes *string
	)
	err := found.Scan(&r.id, &number, &first, &last, &email, &r.Tags, &notes, &r.optedOut, &r.created, &r.updated,
		&r.imported, &r.network.country, &r.network.operator)
	r.Phone = phone.Number(number)
	r.FirstName, r.LastName, r.Email, r.Notes = database.OrEmpty(first), database.OrEmpty(last), database.OrEmpty(email), database.OrEmpty(notes)
	return r, err
}

// contact is what the outside sees of a row.
func (r *row) contact() Contact {
	lists := r.lists
	if lists == nil {
		lists = []ListID{}
	}
	return Contact{
		ID: r.id, FirstName: database.OrNull(r.FirstName), LastName: database.OrNull(r.LastName), Phone: r.Phone, Email: database.OrNull(r.Email),
		Tags: r.Tags.Split(), Notes: database.OrNull(r.Notes), IsOptedOut: r.optedOut, ListIDs: lists, CreatedAt: r.created, UpdatedAt: r.updated,
	}
}

func idsOf(rows []*row) []ID {
	ids := make([]ID, len(rows))
	for i, r := range rows {
		ids[i] = r.id
	}
	return ids
}
