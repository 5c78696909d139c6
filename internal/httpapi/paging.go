package httpapi

// Page is the query of every paged list. It is embedded in an operation's input.
type Page struct {
	Number int `query:"page" minimum:"1" maximum:"1000000000" default:"1" doc:"Page, from 1."`
	Size   int `query:"pageSize" minimum:"1" maximum:"100" default:"25" doc:"Entries on a page."`
}

// Offset is how many entries come before the page.
func (p Page) Offset() int { return (p.Number - 1) * p.Size }
