package token_test

import (
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/token"
)

func TestHashingLeavesTheCollectorAsItWas(t *testing.T) {
	const usual = 150
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	h := token.NewHasher()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := h.Hash(t.Context(), "correct horse battery"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for range 1000 { // it takes a moment
		if token.HeapPercent() == usual {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the heap grows by %d%%, was %d%%", token.HeapPercent(), usual)
}
