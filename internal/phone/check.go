package phone

import (
	"errors"

	"ujumbe/internal/fault"
)

// Status is whether a number is on a network that the registry knows.
type Status string

// The statuses of a number. The first two are kept with a contact; a rejected
// number is never stored, so only Explain speaks of it.
const (
	StatusValid    Status = "valid"
	StatusInvalid  Status = "invalid"
	StatusRejected Status = "rejected"
)

// ReasonUnknownNetwork is why a number is invalid: no prefix matches it.
const ReasonUnknownNetwork = "unknown_network"

// Status is how a number on this network is kept.
func (w Network) Status() Status {
	if w.Known() {
		return StatusValid
	}
	return StatusInvalid
}

// Reason is why a number on this network is invalid; "" when it is valid.
func (w Network) Reason() string {
	if w.Known() {
		return ""
	}
	return ReasonUnknownNetwork
}

// Explanation tells a person how an input is read and judged. What could not be
// found out is empty; Reason and Detail are empty for a valid number.
type Explanation struct {
	Normalized  string `json:"normalized,omitempty"`
	CallingCode string `json:"callingCode,omitempty"`
	Country     string `json:"country,omitempty"`
	CountryName string `json:"countryName,omitempty"`
	Prefix      string `json:"prefix,omitempty"`
	Operator    string `json:"operator,omitempty"`
	Status      Status `json:"status"`
	Reason      string `json:"reason,omitempty"`
	Detail      string `json:"detail,omitempty"`
	Registry    string `json:"registry"`
}

// Explain reads raw as Parse and Network do, and shows every step.
func Explain(raw string) Explanation {
	e := Explanation{Registry: Version()}
	n, digits, err := normalize(raw)
	if err != nil {
		return e.reject(err)
	}
	e.Normalized = n.String()
	country, known := n.Country()
	e.CallingCode, e.Country, e.CountryName = country.CallingCode, country.ISO, country.Name
	if !country.takes(digits) {
		return e.reject(ErrImpossibleLength)
	}
	network := n.Network()
	e.Status, e.Reason = network.Status(), network.Reason()
	e.Prefix, e.Operator = network.Prefix(), network.Operator()
	switch {
	case network.Known():
	case known:
		e.Detail = "No mobile prefix of " + country.Name + " in the registry begins this number; it may be a fixed line."
	default:
		e.Detail = "The registry has no country whose calling code begins this number."
	}
	return e
}

func (e Explanation) reject(err error) Explanation {
	e.Status = StatusRejected
	var f *fault.Error
	if errors.As(err, &f) {
		e.Reason, e.Detail = f.Code, f.Detail
	}
	return e
}
