package fault_test

import (
	"errors"
	"strings"
	"testing"

	"ujumbe/internal/fault"
)

func TestPanicIsAnErrorOfTheWorkItHappenedIn(t *testing.T) {
	var nothing map[string]int
	err := fault.Survive(func() error { nothing["x"] = 1; return nil })
	if err == nil || !strings.Contains(err.Error(), "nil map") || !strings.Contains(err.Error(), "survive_test.go") {
		t.Errorf("%v", err)
	}
	if fault.Code(err) != "" {
		t.Errorf("it is a fault: %v", err)
	}
	failure := errors.New("failure")
	if err := fault.Survive(func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
}
