package interop_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

const (
	// unasked is how long nobody asks a server before it is used up, so that no point in time is a whole second.
	unasked = 370 * time.Millisecond
	// grain is how exactly it is known when quota comes back.
	grain = 10 * time.Millisecond
)

// A truth is what a server that nobody has used tells a client that uses it up at once, and what is so.
type truth struct {
	fields  []string // of the first response that tell of limits
	granted int      // requests, until one was refused
	left    string   // what the first response says that remains
	wait    string   // what the refusal says that one has to wait
	passes  time.Duration
	reset   string // when the last response that says it says that quota comes back
	back    time.Duration
}

// truth asks the server again and again.
func (s server) truth(t *testing.T) truth {
	t.Helper()
	p := s.exhaust(t, 0)
	first, refusal := p.told[0], p.told[len(p.told)-1]
	told := truth{fields: p.fields, granted: p.granted, left: "–", wait: "–", reset: "–"}
	if len(first.Limits) > 0 && first.Limits[0].Remaining != validate.Unknown {
		told.left = fmt.Sprint(first.Limits[0].Remaining)
	}
	if refusal.RetryAfter != validate.Unknown {
		told.wait = seconds(refusal.RetryAfter)
	}
	for _, r := range p.told {
		if len(r.Limits) > 0 && r.Limits[0].Reset != validate.Unknown {
			told.reset = seconds(r.Limits[0].Reset)
		}
	}
	told.passes = s.soonest(p.granted, func(wait time.Duration) bool { return s.exhaust(t, wait).again > 0 })
	told.back = s.soonest(p.granted, func(wait time.Duration) bool { return s.exhaust(t, wait).again >= p.granted })
	return told
}

// longest is longer than what so many requests take to come back.
func (s server) longest(granted int) time.Duration {
	return 2*time.Duration(granted)*s.every() + s.window
}

// soonest is after how long something holds, to a grain, of a server that grants so many requests.
func (s server) soonest(granted int, holds func(wait time.Duration) bool) time.Duration {
	grains := sort.Search(int(s.longest(granted)/grain), func(n int) bool { return holds(time.Duration(n) * grain) })
	return time.Duration(grains) * grain
}

// A probe is what a server has granted at once, and again after a while.
type probe struct {
	told           []validate.Reading // by all responses until one was refused
	fields         []string
	granted, again int
}

// exhaust uses up a server, and asks it again after a while for as much.
func (s server) exhaust(t *testing.T, wait time.Duration) (p probe) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(epoch)) // before it has a clock of its own, which would tick for thirty years
		limited, stop, err := s.start(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		require.NoError(t, err)
		defer stop()
		base := &ratelimittest.Transport{Handler: behindOneAddress(limited)}
		time.Sleep(unasked)
		granted := true
		for granted {
			resp := ask(t, base)
			_ = resp.Body.Close() // it is empty
			if granted = isGranted(resp); granted {
				p.granted++
			}
			p.told = append(p.told, validate.Response(resp, time.Now(), validate.Bounds{}))
			if p.fields == nil {
				p.fields = limitFields(resp.Header)
			}
		}
		time.Sleep(wait)
		for granted = true; granted && wait > 0 && p.again < p.granted; {
			resp := ask(t, base)
			_ = resp.Body.Close()
			if granted = isGranted(resp); granted {
				p.again++
			}
		}
	})
	return p
}

// ask sends one request.
func ask(t *testing.T, base http.RoundTripper) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", http.NoBody)
	require.NoError(t, err)
	resp, err := base.RoundTrip(req)
	require.NoError(t, err)
	return resp
}

func isGranted(resp *http.Response) bool { return resp.StatusCode < http.StatusBadRequest }

// limitFields are those fields of a header that are about limits, as they were sent.
func limitFields(h http.Header) []string {
	fields := []string{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if strings.Contains(name, "Rate") {
			fields = append(fields, name+": "+strings.Join(h[name], ", "))
		}
	}
	return fields
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.4g s", d.Seconds()) }

// What ulule/limiter tells is known: its reset is cut to the second, and it tells no time to wait.
func TestTruth(t *testing.T) {
	second := ulules()[1]
	require.Equal(t, truth{
		fields:  []string{"X-Ratelimit-Limit: 10", "X-Ratelimit-Remaining: 9", "X-Ratelimit-Reset: 1893456001"},
		granted: 10, left: "9",
		wait: "–", passes: time.Second + grain, // from the first nanosecond after it on
		reset: "1 s", back: time.Second + grain,
	}, second.truth(t))
}

// Of each server it is known when it is used up, and something of it comes back, and all.
func TestTruths(t *testing.T) {
	for _, s := range handlers() {
		t.Run(s.name, func(t *testing.T) {
			x := s.truth(t)
			t.Logf("%+v", x)
			require.Positive(t, x.granted)
			require.Less(t, x.back, s.longest(x.granted), "all of it has come back")
			require.LessOrEqual(t, x.passes, x.back+grain)
			require.Equal(t, s.tells, len(x.fields) > 0)
		})
	}
}
