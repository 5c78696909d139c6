package transfer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/server/process"
	"ujumbe/internal/server/processtest"
)

// The size of the test of crashes is set by these variables, for a longer one.
const (
	killsVariable     = "UJUMBE_CHAOS_KILLS"
	killRowsVariable  = "UJUMBE_CHAOS_ROWS"
	killsByDefault    = 5
	killRowsByDefault = 30_000
)

func sizeOf(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func TestKilledImportLeavesWholeChunksAndATrueRecord(t *testing.T) {
	kills, rows := sizeOf(t, killsVariable, killsByDefault), sizeOf(t, killRowsVariable, killRowsByDefault)
	file := numbers(0, rows) + "No,Number,12,,,\n"
	eachProcess(t, func(t *testing.T, settings ...string) {
		const email = "crash@example.com"
		p := processtest.Start(t, settings...)
		access := p.Customer(email)
		created := p.Call(t.Context(), http.MethodPost, "/api/v1/contact-lists", access, map[string]any{"name": "Customers"})
		parts := []part{{"listId", "", created.Field("id")}, {"file", "people.csv", file}}
		for range kills {
			before := newest(t, p, access).ID
			done := make(chan struct{})
			go func() {
				defer close(done)
				upload(context.Background(), t, p, access, parts)
			}()
			until(t, p, access, before, rand.Int64N(int64(rows)), done)
			p.Kill()
			<-done
			db := openOf(t, p, settings)
			checkRecords(t, db)
			_ = db.Close()
			p.Start()
			access = login(t, p, email)
		}
		last := newest(t, p, access)
		waitFor(t, func() bool { last = newest(t, p, access); return last.Status != "running" })
		if last.Status == "interrupted" && (last.Failure == nil || last.Failure.Code != "server_crashed" || last.BytesRead >= last.BytesTotal && last.RowsRead < int64(rows)) {
			t.Errorf("record after a crash: %+v, failure %+v", last, last.Failure)
		}
		// Sending the file again completes it, twice changes nothing more.
		for i := range 2 {
			answer := upload(t.Context(), t, p, access, parts)
			var got counts
			if err := json.Unmarshal(answer.Body, &got); err != nil || answer.Status != http.StatusCreated || got.Imported+got.Skipped != int64(rows)+1 {
				t.Fatalf("sent again: %d %s", answer.Status, answer.Body)
			}
			if i == 1 && got.Imported != 0 {
				t.Errorf("sent twice: %+v", got)
			}
		}
		status, body := p.Get(t.Context(), "/api/v1/contacts?pageSize=1&listId="+created.Field("id"), access)
		if !strings.Contains(string(body), fmt.Sprintf(`"total":%d,`, rows)) {
			t.Errorf("at the end: %d %s", status, body)
		}
		p.Kill()
		db := openOf(t, p, settings)
		defer db.Close()
		checkRecords(t, db)
	})
}

func TestSIGTERMStopsAnImportAtAChunkAndSaysSo(t *testing.T) {
	const rows = 200_000
	file := numbers(0, rows)
	eachProcess(t, func(t *testing.T, settings ...string) {
		const email = "drain@example.com"
		p := processtest.Start(t, settings...)
		access := p.Customer(email)
		done := make(chan struct{})
		var answer process.Answer
		go func() {
			defer close(done)
			answer = upload(context.Background(), t, p, access, fileOf(file))
		}()
		until(t, p, access, "", 1, done)
		if err := p.Signal(); err != nil {
			t.Fatal(err)
		}
		<-done
		if answer.Status != http.StatusServiceUnavailable || answer.Field("code") != "stopping" || answer.Header.Get("Location") == "" || answer.Header.Get("Retry-After") == "" {
			t.Fatalf("%d %v %s", answer.Status, answer.Header, answer.Body)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("exit: %v", err)
		}
		db := openOf(t, p, settings)
		checkRecords(t, db)
		_ = db.Close()
		p.Start()
		var r record
		_, body := p.Get(t.Context(), answer.Header.Get("Location"), login(t, p, email))
		if err := json.Unmarshal(body, &r); err != nil || r.Status != "interrupted" || r.Imported == 0 || r.Imported >= rows {
			t.Errorf("record %s", body)
		}
		if want := fmt.Sprintf("stored %d contacts", r.Imported); !strings.Contains(answer.Field("detail"), want) {
			t.Errorf("told %q, but it %s", answer.Field("detail"), want)
		}
	})
}

func TestImportWhoseClientGoesAwayStopsAtAChunk(t *testing.T) {
	const rows = 200_000
	file := numbers(0, rows)
	eachProcess(t, func(t *testing.T, settings ...string) {
		p := processtest.Start(t, settings...)
		access := p.Customer("gone@example.com")
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			upload(ctx, t, p, access, fileOf(file))
		}()
		until(t, p, access, "", 1, done)
		leave()
		<-done
		var last record
		waitFor(t, func() bool { last = newest(t, p, access); return last.Status != "running" })
		if last.Status != "cancelled" || last.Imported == 0 || last.Imported >= rows || last.Failure == nil || last.FinishedAt == nil {
			t.Errorf("%+v", last)
		}
		p.Kill()
		db := openOf(t, p, settings)
		defer db.Close()
		checkRecords(t, db)
	})
}

func TestEventsFollowAnImportToItsEnd(t *testing.T) {
	eachProcess(t, func(t *testing.T, settings ...string) {
		const rows = 20_000
		p := processtest.Start(t, settings...)
		access := p.Customer("events@example.com")
		done := make(chan struct{})
		go func() {
			defer close(done)
			upload(context.Background(), t, p, access, fileOf(numbers(0, rows)))
		}()
		until(t, p, access, "", 0, done)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		answer := p.Call(ctx, http.MethodGet, "/api/v1/contacts/imports/"+newest(t, p, access).ID+"/events", access, nil)
		<-done
		if answer.Header.Get("Content-Type") != "text/event-stream" || answer.Header.Get("Content-Encoding") != "" {
			t.Errorf("%v", answer.Header)
		}
		events := strings.Split(strings.TrimSpace(string(answer.Body)), "\n\n")
		read := int64(-1)
		for i, event := range events {
			name, data, ok := strings.Cut(event, "\ndata: ")
			var r record
			if !ok || json.Unmarshal([]byte(data), &r) != nil || r.RowsRead < read {
				t.Fatalf("event %q after %d rows", event, read)
			}
			read = r.RowsRead
			if isLast := i == len(events)-1; isLast != (name == "event: end") || isLast != (r.Status == "completed") {
				t.Errorf("event %d of %d: %s %s", i, len(events), name, r.Status)
			}
		}
		if read != rows {
			t.Errorf("the last event has %d rows", read)
		}
	})
}
