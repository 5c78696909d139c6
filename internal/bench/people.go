package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/xuri/excelize/v2"
)

// person is a row of an import.
type person struct {
	first, last, phone, email, tags, notes string
}

var (
	firstNames = strings.Fields(`Asha Baraka Chidi Dalila Emeka Fatuma Grace Hamisi Imani Juma Kofi Lindiwe Mwajuma Neema Otieno
		Penda Rehema Salim Thabo Upendo Wanjiru Yusuf Zawadi Abebe Amina Bongani Chiamaka Daudi Esi Farai Gathoni Halima Ibrahim
		Jabulani Kwame Latifa Makena Nia Omari Palesa Rashid Sadiki Tendai Uzoma Wambui Yaa Zuri Adaeze Babajide Chanda`)
	lastNames = strings.Fields(`Juma Otieno Mwangi Okafor Mensah Diallo Ndlovu Banda Kamau Achieng Mushi Abdallah Owusu Traore
		Nkosi Phiri Wanjala Hassan Boateng Camara Dlamini Mwale Njoroge Salum Asante Toure Khumalo Zulu Kiptoo Ramadhani Appiah
		Keita Moyo Tembo Chebet Mohamed Osei Sow Sithole Lungu Kariuki Massawe Adeyemi Balogun Eze Nwosu Okeke Afolabi Danjuma Bello`)
	tagNames = []string{"vip", "nairobi", "lagos", "accra", "kampala", "wholesale", "retail", "lead", "customer", "newsletter"}
	// Mobile numbers up to their last seven digits.
	networks = []string{"25471", "234803", "25575", "25677", "23324"}
)

// personAt is the same person for the same number, and every number has a phone
// of its own, up to fifty million.
func personAt(n int) person {
	dice := rand.New(rand.NewPCG(uint64(n), 1))
	p := person{first: firstNames[dice.IntN(len(firstNames))], last: lastNames[dice.IntN(len(lastNames))]}
	network := networks[n%len(networks)]
	// 7,654,321 and ten million have no common factor, so no number comes twice.
	tail := fmt.Sprintf("%07d", n/len(networks)*7_654_321%10_000_000)
	p.phone = "+" + network + tail
	if dice.IntN(2) == 0 {
		p.email = fmt.Sprintf("%s.%s%d@example.com", strings.ToLower(p.first), strings.ToLower(p.last), n)
	}
	switch dice.IntN(4) {
	case 0:
		p.tags = tagNames[dice.IntN(len(tagNames))]
	case 1:
		p.tags = tagNames[dice.IntN(len(tagNames)/2)] + ";" + tagNames[len(tagNames)/2+dice.IntN(len(tagNames)/2)]
	}
	if dice.IntN(10) == 0 {
		p.notes = "met at the market"
	}
	return p
}

var columns = []string{"first_name", "last_name", "phone", "email", "tags", "notes"}

func (p person) cells() []string {
	return []string{p.first, p.last, p.phone, p.email, p.tags, p.notes}
}

// csvFile writes people from, up to but not including until.
func csvFile(from, until int) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(columns)
	for n := from; n < until; n++ {
		_ = w.Write(personAt(n).cells())
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func xlsxFile(from, until int) ([]byte, error) {
	f := excelize.NewFile()
	defer f.Close()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return nil, fmt.Errorf("write a workbook: %w", err)
	}
	write := func(line int, cells []string) error {
		values := make([]any, len(cells))
		for i, text := range cells {
			values[i] = text
		}
		return w.SetRow(fmt.Sprintf("A%d", line), values)
	}
	if err := write(1, columns); err != nil {
		return nil, fmt.Errorf("write a workbook: %w", err)
	}
	for n := from; n < until; n++ {
		if err := write(n-from+2, personAt(n).cells()); err != nil {
			return nil, fmt.Errorf("write a workbook: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return nil, fmt.Errorf("write a workbook: %w", err)
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		return nil, fmt.Errorf("write a workbook: %w", err)
	}
	return b.Bytes(), nil
}

// bulkBody is people as the bulk operation takes them.
func bulkBody(from, until int) map[string]any {
	all := make([]map[string]any, 0, until-from)
	for n := from; n < until; n++ {
		p := personAt(n)
		one := map[string]any{"firstName": p.first, "lastName": p.last, "phone": p.phone}
		if p.email != "" {
			one["email"] = p.email
		}
		if p.tags != "" {
			one["tags"] = strings.Split(p.tags, ";")
		}
		if p.notes != "" {
			one["notes"] = p.notes
		}
		all = append(all, one)
	}
	return map[string]any{"contacts": all}
}
