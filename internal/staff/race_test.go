package staff_test

import (
	"sync"
	"sync/atomic"
	"testing"
)

// at runs the calls at the same moment.
func at(calls ...func()) {
	var (
		ready = make(chan struct{})
		done  sync.WaitGroup
	)
	for _, call := range calls {
		done.Go(func() {
			<-ready
			call()
		})
	}
	close(ready)
	done.Wait()
}

func TestOwnersWhoDeactivateEachOtherLeaveOne(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		first := h.owner()
		second := h.hire(first, "owner")
		for range 10 {
			deactivate := func(by, target member, status *int) func() {
				return func() {
					*status = h.Call("PATCH", base+"/staff/"+target.id+"/active", by.access, body{"active": false}).Status
				}
			}
			var a, b int
			at(deactivate(first, second, &a), deactivate(second, first, &b))
			if (a == 200) == (b == 200) {
				t.Fatalf("answers %d and %d, want one 200", a, b)
			}
			winner, loser := first, second
			if b == 200 {
				winner, loser = second, first
			}
			h.Want(h.Call("PATCH", base+"/staff/"+loser.id+"/active", winner.access, body{"active": true}), 200)
		}
	})
}

func TestParallelGuessesDoNotPassTheLock(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		var (
			refused atomic.Int64
			calls   []func()
		)
		for range 30 {
			calls = append(calls, func() {
				// A busy machine may turn some away before they are judged.
				if h.login(ownerEmail, "not the password").Status == 401 {
					refused.Add(1)
				}
			})
		}
		at(calls...)
		h.Want(h.login(ownerEmail, ownerPassword), 401)
		var failures int64
		if err := h.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM audit WHERE action = 'session.sign_in_failed'`).Scan(&failures); err != nil {
			t.Fatal(err)
		}
		if failures < refused.Load()+1 {
			t.Errorf("%d failures in the trail of %d refusals", failures, refused.Load()+1)
		}
	})
}

func TestOneRefreshOfManyWins(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		var (
			won   atomic.Int64
			calls []func()
		)
		for range 20 {
			calls = append(calls, func() {
				if h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": owner.refresh}).Status == 200 {
					won.Add(1)
				}
			})
		}
		at(calls...)
		if won.Load() != 1 {
			t.Errorf("%d refreshes of one token succeeded", won.Load())
		}
	})
}

func TestOneResetOfManyWins(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": ownerEmail}), 200)
		token := h.Mail.Token(t, ownerEmail, "/admin/reset-password")
		var (
			won   atomic.Int64
			calls []func()
		)
		for range 10 {
			calls = append(calls, func() {
				if h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": "a new password"}).Status == 200 {
					won.Add(1)
				}
			})
		}
		at(calls...)
		if won.Load() != 1 {
			t.Errorf("%d resets by one link succeeded", won.Load())
		}
	})
}

func TestOneOfTwoMembersWithTheSameEmailIsMade(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		statuses := make([]int, 2)
		create := func(n int, email string) func() {
			return func() {
				statuses[n] = h.Call("POST", base+"/staff", owner.access, body{"name": "Twin", "email": email, "role": "staff"}).Status
			}
		}
		at(create(0, "twin@staff.example.com"), create(1, "Twin@Staff.example.com"))
		if statuses[0]+statuses[1] != 201+409 {
			t.Errorf("statuses %v, want one 201 and one 409", statuses)
		}
	})
}

// A sign-in that races a deactivation leaves no session that outlives it.
func TestSignInRacingDeactivationLeavesNoSession(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		target := h.hire(owner, "staff")
		for range 5 {
			var entered string
			at(func() {
				if a := h.login(target.email, target.password); a.Status == 200 {
					entered, _ = a.JSON(t)["refreshToken"].(string)
				}
			}, func() {
				h.Call("PATCH", base+"/staff/"+target.id+"/active", owner.access, body{"active": false})
			})
			h.Want(h.Call("PATCH", base+"/staff/"+target.id+"/active", owner.access, body{"active": true}), 200)
			if entered != "" {
				h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": entered}), 401)
			}
		}
	})
}
