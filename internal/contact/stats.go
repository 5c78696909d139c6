package contact

import (
	"context"
	"strings"
	"time"

	"ujumbe/internal/account"
)

// Stats are the figures of an organization's active contacts.
type Stats struct {
	Total     int64          `json:"total"`
	Valid     int64          `json:"valid" doc:"Numbers on a network that the operator prefix registry knows."`
	Invalid   int64          `json:"invalid"`
	OptedOut  int64          `json:"optedOut"`
	Countries []CountryStats `json:"countries" doc:"By country, ISO 3166-1; the empty one stands for unknown countries."`
	Operators []NetworkStats `json:"operators" doc:"Valid numbers by operator."`
	Days      []DayStats     `json:"days" doc:"The last 90 days, today in UTC last."`
}

// CountryStats are the contacts of one country.
type CountryStats struct {
	Country string `json:"country" example:"KE"`
	Count   int64  `json:"count"`
}

// NetworkStats are the contacts of one operator in one country.
type NetworkStats struct {
	Country  string `json:"country" example:"KE"`
	Operator string `json:"operator" example:"Safaricom"`
	Count    int64  `json:"count"`
}

// DayStats are the contacts created on one day.
type DayStats struct {
	Day   string `json:"day" example:"2026-01-31"`
	Added int64  `json:"added" doc:"Contacts created that day, also those in the trash by now."`
}

const statsDays = 90

// Stats reads the figures from the counts that every change keeps, so it costs
// the same for ten contacts and for a million.
func (s *Store) Stats(ctx context.Context, org account.ID) (Stats, error) {
	stats := Stats{Countries: []CountryStats{}, Operators: []NetworkStats{}}
	var err error
	if stats.OptedOut, err = countOf(ctx, s.db, org, countOptedOut); err != nil {
		return Stats{}, err
	}
	if err := countsWith(ctx, s.db, org, countNetwork, stats.addNetwork); err != nil {
		return Stats{}, err
	}
	added := map[string]int64{}
	if err := countsWith(ctx, s.db, org, countDay, func(day string, n int64) { added[day] = n }); err != nil {
		return Stats{}, err
	}
	now := s.clock.Now()
	for ago := statsDays - 1; ago >= 0; ago-- {
		day := dayOf(now.Add(-time.Duration(ago) * 24 * time.Hour))
		stats.Days = append(stats.Days, DayStats{Day: day, Added: added[day]})
	}
	return stats, nil
}

// addNetwork takes the counts in the order of their keys, countries together.
func (s *Stats) addNetwork(key string, n int64) {
	country, operator, _ := strings.Cut(key, ":")
	s.Total += n
	if operator == "" {
		s.Invalid += n
	} else {
		s.Valid += n
		s.Operators = append(s.Operators, NetworkStats{country, operator, n})
	}
	if last := len(s.Countries) - 1; last >= 0 && s.Countries[last].Country == country {
		s.Countries[last].Count += n
		return
	}
	s.Countries = append(s.Countries, CountryStats{country, n})
}

// TagNames returns the tags that active contacts have, in byte order.
func (s *Store) TagNames(ctx context.Context, org account.ID) ([]string, error) {
	tags := []string{}
	err := countsWith(ctx, s.db, org, countTag, func(tag string, _ int64) { tags = append(tags, tag) })
	return tags, err
}
