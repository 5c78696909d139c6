package transfer_test

import (
	"testing"

	"ujumbe/internal/server/servertest"
)

func TestImportCountsWhatItStored(t *testing.T) {
	head := "first_name,last_name,phone,email,tags,notes\n"
	for name, row := range map[string]struct {
		file    string
		want    counts
		reasons []string
	}{
		"valid and invalid": {head + "Asha,Juma,+254712345678,asha@example.com,vip;kenya,hi\nBrit,Ton,+447911123456,,,\n", counts{2, 1, 1, 0}, nil},
		"same number twice": {head + "A,,0712 345,,,\nA,,+254712345678,,,\nB,,254712345678,,,\n", counts{1, 1, 0, 2}, []string{"phone_leading_zero", "duplicate_in_file"}},
		"unreadable numbers": {head + "A,,,,,\nB,,abc,,,\nC,,12345,,,\nD,,2.54713E+11,,,\nE,,+254712345,,,\n", counts{0, 0, 0, 5},
			[]string{"phone_no_digits", "phone_no_digits", "phone_too_short", "rounded_number", "phone_impossible_length"}},
		"only a head":        {head, counts{}, nil},
		"phones only":        {"Phone\r\n254712345678\r\n\r\n254712345679\r\n", counts{2, 2, 0, 0}, nil},
		"semicolons and BOM": {"\ufeffNOTES;Phone;First-Name\nx;+254712345678;Asha\n", counts{1, 1, 0, 0}, nil},
		"workbook": {workbook(t, []any{"phone", "first_name"}, []any{254712345678, "Asha"}, []any{"+254712345679", "Juma"}, []any{254712345678, "Again"}),
			counts{2, 2, 0, 1}, []string{"duplicate_in_file"}},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				owner := s.Owner()
				answer := send(t, s, owner.Access, fileOf(row.file))
				if got := countsOf(t, answer); got != row.want {
					t.Errorf("%+v, want %+v", got, row.want)
				}
				if got := total(t, s, owner.Access, ""); got != row.want.Imported {
					t.Errorf("%d contacts stored, want %d", got, row.want.Imported)
				}
				r := recordAt(t, s, owner.Access, answer)
				if r.Status != "completed" || r.Imported != row.want.Imported || r.Skipped != row.want.Skipped || r.BytesRead != int64(len(row.file)) || r.FinishedAt == nil || r.User != owner.Email {
					t.Errorf("record: %+v", r)
				}
				rejects := rowsAt(t, s, owner.Access, answer.Header.Get("Location")+"/rejects")
				if len(rejects) != len(row.reasons) {
					t.Fatalf("rejects %v, want %v", rejects, row.reasons)
				}
				for i, reason := range row.reasons {
					if rejects[i][1] != reason {
						t.Errorf("reject %v, want %s", rejects[i], reason)
					}
				}
			})
		})
	}
}
