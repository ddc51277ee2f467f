package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

func TestCheck(t *testing.T) {
	get := plan{method: http.MethodGet, replayable: true}
	post := plan{method: http.MethodPost, replayable: true}
	hasty := plan{method: http.MethodGet, replayable: true, deadline: time.Second}
	once := plan{method: http.MethodPost}
	keyed := plan{method: http.MethodPost, key: true, replayable: true}
	for _, test := range []struct {
		name   string
		record record
		outage bool
		want   []string
	}{
		{"served", record{plan: post, outcome: served, processed: 1}, false, nil},
		{"served at the second try", record{plan: post, outcome: served, processed: 1, throttled: 1}, false, nil},
		{"served and not processed", record{plan: get, outcome: served, throttled: 1}, false, []string{"was not processed"}},
		{
			"a POST processed twice",
			record{plan: post, outcome: served, processed: 2, lost: 1},
			true,
			[]string{"was processed 2 times"},
		},
		{
			"a GET processed twice for nothing",
			record{plan: get, outcome: served, processed: 2},
			true,
			[]string{"was processed 2 times, though no connection was lost"},
		},
		{"a GET processed twice", record{plan: get, outcome: served, processed: 2, lost: 1}, false, nil},
		{"a keyed POST processed by two servers", record{plan: keyed, outcome: served, processed: 2, first: 1, last: 2}, false, nil},
		{"a handler that still runs", record{plan: get, outcome: served, processed: 1, running: 1}, false, []string{"a handler still runs"}},
		{"throttled to the end", record{plan: post, outcome: throttled, throttled: 4}, false, nil},
		{"given up too early", record{plan: post, outcome: throttled, throttled: 3}, false, []string{"was not sent again, after 3 arrivals"}},
		{"throttled without a body to send again", record{plan: once, outcome: throttled, throttled: 1}, false, nil},
		{"throttled, with a deadline", record{plan: hasty, outcome: throttled, throttled: 1}, false, nil},
		{"a POST after a 503", record{plan: post, outcome: throttled, unavailable: 1}, false, nil},
		{"throttled and processed", record{plan: post, outcome: throttled, throttled: 4, processed: 1}, true, []string{"was processed"}},
		{"throttled by nobody", record{plan: hasty, outcome: throttled}, false, []string{"was not refused"}},
		{"refused", record{plan: hasty, outcome: refused}, false, nil},
		{"refused and sent", record{plan: hasty, outcome: refused, throttled: 1}, false, []string{"arrived 1 times"}},
		{"refused for no reason", record{plan: get, outcome: refused}, false, []string{"would have waited"}},
		{"cancelled", record{plan: hasty, outcome: cancelled, processed: 1}, false, nil},
		{"cancelled at the end", record{plan: get, outcome: cancelled, forced: true}, false, nil},
		{"cancelled by nobody", record{plan: get, outcome: cancelled}, false, []string{"nobody cancelled it"}},
		{"failed in an outage", record{plan: get, outcome: failed}, true, nil},
		{"cut by the server", record{plan: get, outcome: cut, processed: 1, lost: 1}, false, nil},
		{"failed for no reason", record{plan: get, outcome: failed}, false, []string{"no connection was lost"}},
		{"no outcome", record{plan: get}, false, []string{"has no outcome"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.record
			r.party = &party{transport: headway.Transport{MaxWait: -1}}
			require.Equal(t, test.want, r.check(func(*party, time.Time, time.Time) bool { return test.outage }))
		})
	}
}
