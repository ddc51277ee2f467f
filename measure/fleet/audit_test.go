//go:build unix

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// newResult returns a result without violations.
func newResult() *result {
	f := form{
		workers: 8, quota: 4, window: time.Second, sound: bounds{refused: 1000, used: 0.5, jain: 0.9},
		faulty: bounds{refused: 1000, used: 0.5, jain: 0.9},
	}
	x := &result{run: &run{limit: fixed, fleet: true}, form: &f, from: time.Unix(0, 0), to: time.Unix(1, 0)}
	for _, name := range []string{"1", "2"} {
		a := &account{Member: name, Calls: 3, Outcomes: map[outcome]int{served: 1, throttled: 1, cancelled: 1}, Sent: 2, Most: 9}
		x.accounts = append(x.accounts, a)
		for _, allowed := range []bool{true, false} {
			x.all = append(x.all, ratelimittest.Arrival{Time: x.from, RemoteAddr: name, Allowed: allowed})
		}
	}
	return x
}

func TestAuditAndJudge(t *testing.T) {
	tests := []struct {
		name   string
		change func(*result)
		twice  int
		want   string // "": no violation
	}{
		{name: "as it must be", change: func(*result) {}},
		{name: "a call without an outcome", change: func(x *result) { x.accounts[0].Calls++ }, want: "member 1 made 4 calls, which had 3 outcomes"},
		{name: "sent and not arrived", change: func(x *result) { x.accounts[1].Sent++ }, want: "member 2 sent 3 requests, of which 2 arrived"},
		{name: "served but not by the server", change: func(x *result) { x.all[0].Allowed = false }, want: "member 1 was served 1 calls, but the server counted 0"},
		{name: "served twice", change: func(*result) {}, twice: 1, want: "1 calls were served more than once"},
		{name: "refused by headway", change: func(x *result) { x.accounts[0].Outcomes = map[outcome]int{served: 1, throttled: 1, refused: 1} }, want: "1 calls failed"},
		{name: "too many cancelled", change: func(x *result) { x.accounts[0].Calls += 8; x.accounts[0].Outcomes[cancelled] += 8 }, want: "9 calls were cancelled"},
		{name: "goroutines pile up", change: func(x *result) { x.accounts[0].Most = x.form.mostGoroutines() + 1 }, want: "member 1 had 41 goroutines"},
		{name: "too many refused", change: func(x *result) { x.form.sound.refused = 999 }, want: "1000.0 refused per 1000, more than 999"},
		{name: "too little used", change: func(x *result) { x.form.sound.used = 0.6 }, want: "0.500 of the quota used, less than 0.60"},
		{name: "unfair", change: func(x *result) { x.all[0].RemoteAddr = "2" }, want: "a Jain index of 0.500, less than 0.90"},
		{name: "headers alone are not judged", change: func(x *result) { x.fleet, x.form.sound.refused = false, 0 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := newResult()
			test.change(x)
			x.audit(test.twice)
			x.judge()
			if test.want == "" {
				require.Empty(t, x.wrong)
				return
			}
			require.Contains(t, strings.Join(x.wrong, "\n"), test.want)
		})
	}
}
