package account

import (
	"strings"
	"time"
	_ "time/tzdata" // so that every machine knows the same time zones

	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
)

// The bounds of an address, in characters.
const (
	addressMax = 255
	cityMax    = 100
	stateMax   = 100
	zipCodeMax = 20
)

// Change is what an owner or admin wants otherwise in their organization. What
// was not sent stays; null clears what may be empty.
type Change struct {
	Name     httpapi.Optional[string] `json:"name" required:"false" doc:"1 to 100 characters."`
	Timezone httpapi.Optional[string] `json:"timezone" required:"false" doc:"IANA name, like Africa/Nairobi."`
	Country  httpapi.Optional[string] `json:"country" required:"false" doc:"ISO 3166-1 alpha-2, like KE."`
	Address  httpapi.Optional[string] `json:"address" required:"false" doc:"At most 255 characters; null clears it."`
	City     httpapi.Optional[string] `json:"city" required:"false" doc:"At most 100 characters; null clears it."`
	State    httpapi.Optional[string] `json:"state" required:"false" doc:"At most 100 characters; null clears it."`
	ZipCode  httpapi.Optional[string] `json:"zipCode" required:"false" doc:"At most 20 characters; null clears it."`
}

// check tidies what was sent, in place, and finds what can't be accepted.
func (c *Change) check() error {
	var checks field.Checks
	c.Country.Value = strings.ToUpper(strings.TrimSpace(c.Country.Value))
	required := func(location string, o *httpapi.Optional[string], check func()) {
		switch {
		case o.Null:
			checks.Fail(location, "must not be null")
		case o.Sent:
			check()
		}
	}
	required("body.name", &c.Name, func() { c.Name.Value = checks.Text("body.name", c.Name.Value, 1, NameMax) })
	required("body.timezone", &c.Timezone, func() {
		if !isTimezone(c.Timezone.Value) {
			checks.Fail("body.timezone", "must be the IANA name of a time zone, like Africa/Nairobi")
		}
	})
	required("body.country", &c.Country, func() {
		if !isCountry(c.Country.Value) {
			checks.Fail("body.country", "must be the two letters of a country in ISO 3166-1, like KE")
		}
	})
	optional := func(location string, o *httpapi.Optional[string], max int) {
		o.Value = checks.Text(location, o.Value, 0, max)
		o.Null = o.Value == "" // nothing has one form
	}
	optional("body.address", &c.Address, addressMax)
	optional("body.city", &c.City, cityMax)
	optional("body.state", &c.State, stateMax)
	optional("body.zipCode", &c.ZipCode, zipCodeMax)
	return checks.Err()
}

// apply makes a checked change and names the fields that are different now.
func (c *Change) apply(a *Account) (changed []string) {
	set := func(name string, o httpapi.Optional[string], to *string) {
		if o.Sent && *to != o.Value {
			*to = o.Value
			changed = append(changed, name)
		}
	}
	setNullable := func(name string, o httpapi.Optional[string], to **string) {
		value := o.Pointer()
		if !o.Sent || value == nil && *to == nil || value != nil && *to != nil && *value == **to {
			return
		}
		*to = value
		changed = append(changed, name)
	}
	set("name", c.Name, &a.Name)
	set("timezone", c.Timezone, &a.Timezone)
	set("country", c.Country, &a.Country)
	setNullable("address", c.Address, &a.Address)
	setNullable("city", c.City, &a.City)
	setNullable("state", c.State, &a.State)
	setNullable("zipCode", c.ZipCode, &a.ZipCode)
	return changed
}

// isTimezone takes the names of the IANA database alone. A system's own copy of
// it may have more files than that, which other nodes need not have.
func isTimezone(name string) bool {
	const longest = 64
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "", "Local", "localtime", "posix", "right", "posixrules", "Factory":
		return false
	}
	if len(name) > longest {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// countries are the codes that ISO 3166-1 assigns. The region tables of CLDR,
// which libraries bring, have withdrawn and reserved ones too.
const countries = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
	"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ " +
	"NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
	"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
	"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

func isCountry(code string) bool {
	return len(code) == 2 && !strings.Contains(code, " ") && strings.Contains(countries, code)
}
