package fault

import (
	"fmt"
	"runtime/debug"
)

// Survive does a piece of work that another goroutine waits for. A panic in it,
// which would end the whole process, becomes its error: one of ours, no fault.
func Survive(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}
