package contact_test

import (
	"strings"
	"testing"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
)

func TestPanicWhileContactsAreReadIsAnErrorOfTheirStream(t *testing.T) {
	var broken contact.Store // has no database
	err := broken.Stream(t.Context(), account.ID{}, nil, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("%v", err)
	}
}
