package account

// For tests of the tables that changes are checked by.
var (
	IsCountry  = isCountry
	IsTimezone = isTimezone
)
