package sheet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ujumbe/internal/fault"
	"ujumbe/internal/transfer/sheet"
)

func TestHeaderNames(t *testing.T) {
	proper := [6]string{"1", "2", "3", "4", "5", "6"}
	cases := map[string]string{
		"in order":                  "first_name,last_name,phone,email,tags,notes\n1,2,3,4,5,6",
		"in another order":          "notes,tags,email,phone,last_name,first_name\n6,5,4,3,2,1",
		"in upper case":             "FIRST_NAME,LAST_NAME,PHONE,EMAIL,TAGS,NOTES\n1,2,3,4,5,6",
		"with spaces and hyphens":   "First Name,Last-Name,Phone,E-mail,Tags,Notes\n1,2,3,4,5,6",
		"in camel case":             "firstName,lastName,phoneNumber,emailAddress,tags,notes\n1,2,3,4,5,6",
		"with space around":         " first_name , last_name ,  phone,email\t,tags , notes \n1,2,3,4,5,6",
		"quoted":                    "\"first_name\", \"last_name\",\"phone\" ,'email',\"tags\",\"notes\"\n1,2,3,4,5,6",
		"behind a mark":             "\xef\xbb\xbffirst_name,last_name,phone,email,tags,notes\n1,2,3,4,5,6",
		"with stars":                "first_name*,last_name,Phone (*),email:,tags,notes\n1,2,3,4,5,6",
		"as people say":             "Given name,Surname,Mobile No.,Mail,Labels,Comments\n1,2,3,4,5,6",
		"as operators say":          "fname,lname,MSISDN,email,tag,remarks\n1,2,3,4,5,6",
		"twice: the first counts":   "phone,first_name,last_name,phone,email,tags,notes,Notes\n3,1,2,x,4,5,6,x",
		"proper name before others": "tel,mail,first_name,last_name,phone,email,tags,notes\nx,x,1,2,3,4,5,6",
		"unknown columns between":   "id,first_name,town,last_name,phone,email,,tags,notes,\n9,1,x,2,3,4,x,5,6,x",
	}
	for name, file := range cases {
		t.Run(name, func(t *testing.T) { wantCells(t, read(t, file), proper) })
	}
}

func TestDelimiters(t *testing.T) {
	want := [6]string{"Amina", "", "254712345678", "", "", "a,b;c|d"}
	for _, d := range []string{",", ";", "\t", "|"} {
		for _, file := range []string{
			"phone,first_name,notes\n254712345678,Amina,\"a,b;c|d\"",
			"\"phone\",\"first_name\",\"notes\"\n\"254712345678\",\"Amina\",\"a,b;c|d\"",
			"\n\n,,,\nphone,first_name,notes,\"x;y|z;a\"\n254712345678,Amina,\"a,b;c|d\"",
		} {
			file = strings.ReplaceAll(file, ",", d)
			file = strings.ReplaceAll(file, "a"+d+"b;c|d", "a,b;c|d")
			t.Run(fmt.Sprintf("%q", file), func(t *testing.T) { wantCells(t, read(t, file), want) })
		}
	}
	t.Run("none in a file of one column", func(t *testing.T) {
		wantCells(t, read(t, "Phone\n254712345678\n"), [6]string{"", "", "254712345678"})
	})
	t.Run("more of another in a name", func(t *testing.T) {
		wantCells(t, read(t, "phone;notes (a, b, c, d)\n1;2"), [6]string{"", "", "1"})
	})
	t.Run("named in the first line", func(t *testing.T) {
		rows := read(t, "sep=;\r\nphone;notes\r\n1;2,3\r\n")
		wantCells(t, rows, [6]string{"", "", "1", "", "", "2,3"})
		if rows[0].number != 2 {
			t.Errorf("the row is numbered %d, a spreadsheet shows 2", rows[0].number)
		}
	})
}

func TestLineEndsAndRowNumbers(t *testing.T) {
	file := "phone,notes\n1,a\n\n2,\"b\nb\"\n,\n   \n3,c"
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		t.Run(name, func(t *testing.T) {
			rows := read(t, strings.ReplaceAll(file, "\n", end))
			wantCells(t, rows, [6]string{"", "", "1", "", "", "a"}, [6]string{"", "", "2", "", "", "b" + end + "b"}, [6]string{"", "", "3", "", "", "c"})
			for i, want := range []int{2, 4, 7} {
				if rows[i].number != want {
					t.Errorf("row %d is numbered %d, want %d", i, rows[i].number, want)
				}
			}
		})
	}
	t.Run("mixed", func(t *testing.T) {
		if got := phones(read(t, "phone\r\n1\n2\r3\r\n\r\n4\n\r5")); got != "1 2 3 4 5" {
			t.Errorf("phones are %s", got)
		}
	})
}

func TestQuotes(t *testing.T) {
	cases := map[string]struct{ cell, want string }{
		"around":                    {`"a"`, `a`},
		"around nothing":            {`""`, ``},
		"doubled":                   {`"a ""b"" c"`, `a "b" c`},
		"only doubled":              {`""""""`, `""`},
		"delimiter in them":         {`"a,b"`, `a,b`},
		"spaces in them":            {`"  a "`, `  a `},
		"spaces before and after":   {`  "a,b"  `, `a,b`},
		"stray inside":              {`5" nail`, `5" nail`},
		"stray pair inside":         {`a "b" c`, `a "b" c`},
		"stray at the end":          {`a"`, `a"`},
		"text behind":               {`"a" b`, `a b`},
		"text with quotes behind":   {`"a"b"c"`, `ab"c"`},
		"doubled, then text behind": {`"a""b"c`, `a"bc`},
		"spaces without":            {`  a `, `  a `},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rows := read(t, "notes,phone\n"+c.cell+",1\n"+c.cell+",2")
			wantCells(t, rows, [6]string{"", "", "1", "", "", c.want}, [6]string{"", "", "2", "", "", c.want})
		})
	}
}

func TestRaggedRows(t *testing.T) {
	rows := read(t, "first_name,phone,notes\nAmina\nAmina,1\nAmina,1,x,y,z\n,1")
	wantCells(t, rows,
		[6]string{"Amina"},
		[6]string{"Amina", "", "1"},
		[6]string{"Amina", "", "1", "", "", "x"},
		[6]string{"", "", "1"})
	if got := strings.Join(rows[2].record, "|"); got != "Amina|1|x|y|z" {
		t.Errorf("the record is %q", got)
	}
}

func TestOnlyPhoneEmailAndTagsAreTrimmed(t *testing.T) {
	rows := read(t, "first_name,last_name,phone,email,tags,notes\n a , b ,\u202a +254712345678\u00a0\u202c, x@example.com , t , n \n")
	wantCells(t, rows, [6]string{" a ", " b ", "+254712345678", "x@example.com", "t", " n "})
}

func TestNumbersOfSpreadsheets(t *testing.T) {
	cases := map[string]struct {
		want   string
		reason sheet.Reason
	}{
		"254712345678":        {"254712345678", ""},
		"+254 712-345.678":    {"+254 712-345.678", ""},
		"0712.345.678":        {"0712.345.678", ""},
		"254.712345678":       {"254.712345678", ""},
		"2.54712345678E11":    {"254712345678", ""},
		"2.54712345678E+11":   {"254712345678", ""},
		"2.547123456780e+11":  {"254712345678", ""},
		"2,54712345678E+11":   {"254712345678", ""},
		"254712345678.0":      {"254712345678", ""},
		"254712345678,0":      {"254712345678", ""},
		"2.54713E+11":         {"2.54713E+11", sheet.RoundedNumber},
		"2,54713E+11":         {"2,54713E+11", sheet.RoundedNumber},
		"2.5471234567E+11":    {"2.5471234567E+11", sheet.RoundedNumber},
		"3E+11":               {"3E+11", sheet.RoundedNumber},
		"2.547123456785E+11":  {"2.547123456785E+11", sheet.RoundedNumber},
		"2.54E+999":           {"2.54E+999", sheet.RoundedNumber},
		"2.54E+99999999999":   {"2.54E+99999999999", ""},
		"E11":                 {"E11", ""},
		"2.5E":                {"2.5E", ""},
		"2.5E+11 or so":       {"2.5E+11 or so", ""},
		"ring 2.54713E+11":    {"ring 2.54713E+11", ""},
		"'+254712345678":      {"+254712345678", ""},
		"'2.54713E+11":        {"'2.54713E+11", ""},
		"-2.54713E+11":        {"-2.54713E+11", ""},
		`="00254712345678"`:   {"00254712345678", ""},
		`="254712345678`:      {`="254712345678`, ""},
		"254712345678.":       {"254712345678.", ""},
		"254712345678.000001": {"254712345678.000001", ""},
	}
	for cell, c := range cases {
		t.Run(cell, func(t *testing.T) {
			rows := read(t, "phone;notes\n"+cell+";x\n")
			wantCells(t, rows, [6]string{"", "", c.want, "", "", "x"})
			if rows[0].reason != c.reason {
				t.Errorf("reason is %q, want %q", rows[0].reason, c.reason)
			}
		})
	}
}

func TestOpenQuoteCostsOnlyItsLine(t *testing.T) {
	file := "phone,notes\n1,a\n2,\"b\n3,c\n4,d\n"
	rows := read(t, file)
	if got := phones(rows); got != "1  3 4" {
		t.Errorf("phones are %q", got)
	}
	if rows[1].reason != sheet.QuoteNotClosed || rows[1].number != 3 || rows[1].record[0] != `2,"b` {
		t.Errorf("the line with the quote is %+v", rows[1])
	}
	t.Run("in the last line", func(t *testing.T) {
		rows := read(t, "phone,notes\n1,a\n2,\"b")
		if len(rows) != 2 || rows[1].reason != sheet.QuoteNotClosed {
			t.Errorf("rows are %+v", rows)
		}
	})
	t.Run("in a file longer than a record may be", func(t *testing.T) {
		long := "phone,notes\n1,\"b\n" + strings.Repeat("2,c\n", 1000)
		rows, err := readAll([]byte(long), sheet.Limits{RecordBytes: 512})
		if err != nil || len(rows) != 1001 || rows[0].reason != sheet.QuoteNotClosed || rows[1000].number != 1002 {
			t.Errorf("%d rows, error %v", len(rows), err)
		}
	})
}

func TestLongRowsAndCells(t *testing.T) {
	limits := sheet.Limits{CellChars: 10, RecordBytes: 300, Columns: 4}
	file := "phone,notes,x\n" +
		"1,éééééééééé\n" + // ten characters, twenty bytes
		"2,ééééééééééé\n" +
		"3," + strings.Repeat("x", 290) + strings.Repeat("y", 1000) + "\n" +
		"4,\"" + strings.Repeat("x", 1000) + "\"\n" +
		"5,a" + strings.Repeat(",", 250) + "\n" +
		"6," + strings.Repeat("x", 1000)
	rows, err := readAll([]byte(file), limits)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []sheet.Reason
	for _, row := range rows {
		reasons = append(reasons, row.reason)
	}
	want := []sheet.Reason{"", sheet.CellTooLong, sheet.RowTooLong, sheet.RowTooLong, "", sheet.RowTooLong}
	if !slices.Equal(reasons, want) {
		t.Fatalf("reasons are %q, want %q", reasons, want)
	}
	if len(rows[4].record) != limits.Columns {
		t.Errorf("%d cells are kept of a row of 252", len(rows[4].record))
	}
	if shown := rows[2].record[0]; !strings.HasPrefix(shown, "3,xxx") || len(shown) > 200 {
		t.Errorf("the long row shows %q", shown)
	}
	t.Run("in the header", func(t *testing.T) {
		_, err := readAll([]byte("phone,"+strings.Repeat("x", 1000)+"\n1\n"), limits)
		wantFault(t, err, fault.KindBadRequest, "file_corrupt", "column names")
	})
}

func TestTooManyRowsAreFoundBeforeAnyIsRead(t *testing.T) {
	limits := sheet.Limits{Rows: 3}
	for name, c := range map[string]struct {
		file string
		ok   bool
	}{
		"as many as may be":        {"phone\n1\n2\n3\n", true},
		"blank rows do not count":  {"phone\n1\n\n\n\n2\n\n3\n\n", true},
		"lines in cells do not":    {"phone,notes\n1,\"\n\n\n\n\"\n2\n3", true},
		"one more":                 {"phone\n1\n2\n3\n4", false},
		"one more, by CR":          {"phone\r1\r2\r3\r4", false},
		"one more, behind a quote": {"phone,notes\n1,\"\n\n\"\n2\n3\n4", false},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := open([]byte(c.file), limits)
			if !c.ok {
				wantFault(t, err, fault.KindTooLarge, "too_many_rows", "3 rows", "Split")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if rows, err := rowsOf(r); err != nil || len(rows) != 3 {
				t.Errorf("%d rows, error %v", len(rows), err)
			}
		})
	}
	t.Run("from a stream, when they come", func(t *testing.T) {
		r, err := sheet.OpenCSV(strings.NewReader("phone\n1\n2\n3\n4"), limits)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := rowsOf(r)
		wantFault(t, err, fault.KindTooLarge, "too_many_rows")
		if len(rows) != 3 {
			t.Errorf("%d rows came before", len(rows))
		}
	})
}
