package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

// The pace of events.
const (
	lookEvery  = 300 * time.Millisecond
	speakEvery = 10 * time.Second
	// watchTime bounds one stream of events; whoever wants more comes again.
	watchTime = 10 * time.Minute
)

// Watch sends the record of an import as server-sent events: "progress" whenever
// it has moved, and "end" with its last state. It ends early when the watcher is
// no longer admitted, or the node stops.
func (s *Service) Watch(ctx context.Context, by account.Caller, i ID, admitted func(context.Context) error, out *httpapi.Stream) error {
	ctx, cancel := context.WithTimeout(ctx, watchTime)
	defer cancel()
	w := &watcher{out: out}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		record, err := s.find(ctx, by.Account, i)
		if err != nil {
			return err
		}
		if err := w.tell(record); err != nil || record.Status != Running {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.Stopping:
			return nil
		case <-look.C:
		}
		if admitted(ctx) != nil {
			return nil // to the watcher it is the end of the events
		}
	}
}

// watcher is the receiver of events.
type watcher struct {
	out    *httpapi.Stream
	last   string
	spoken time.Time
}

func (w *watcher) tell(record Import) error {
	encoded, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("event: %w", err)
	}
	name := "progress"
	if record.Status != Running {
		name = "end"
	}
	event := fmt.Sprintf("event: %s\ndata: %s\n\n", name, encoded)
	if event == w.last {
		if time.Since(w.spoken) < speakEvery {
			return nil
		}
		// A comment keeps proxies from taking the silence for death.
		event = ":\n\n"
	} else {
		w.last = event
	}
	if !w.out.Begun() {
		w.out.Header().Set("Content-Type", "text/event-stream")
		w.out.Uncompressed()
	}
	w.spoken = time.Now()
	if _, err := w.out.Write([]byte(event)); err != nil {
		return err
	}
	w.out.Flush()
	return nil
}
