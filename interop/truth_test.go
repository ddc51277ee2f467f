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
	// unasked is the time before the first request, so that no event is at a whole second.
	unasked = 370 * time.Millisecond
	// grain is the precision of the times that are found.
	grain = 10 * time.Millisecond
)

// A truth compares what a server reports with what it does, when a client uses up the quota at once.
type truth struct {
	fields    []string      // the limit fields of the first response
	granted   int           // requests before the first refusal
	remaining string        // what remains, as the first response reports
	wait      string        // the wait that the refusal reports
	passes    time.Duration // the shortest wait after which a request is granted again
	reset     string        // the time until the reset, as the last response with a reset reports
	back      time.Duration // the shortest wait after which the whole quota is granted again
}

// truth finds the truth by asking the server many times.
func (s server) truth(t *testing.T) truth {
	t.Helper()
	p := s.exhaust(t, 0)
	first, refusal := p.readings[0], p.readings[len(p.readings)-1]
	told := truth{fields: p.fields, granted: p.granted, remaining: "–", wait: "–", reset: "–"}
	if len(first.Limits) > 0 && first.Limits[0].Remaining != validate.Unknown {
		told.remaining = fmt.Sprint(first.Limits[0].Remaining)
	}
	if refusal.RetryAfter != validate.Unknown {
		told.wait = seconds(refusal.RetryAfter)
	}
	for _, r := range p.readings {
		if len(r.Limits) > 0 && r.Limits[0].Reset != validate.Unknown {
			told.reset = seconds(r.Limits[0].Reset)
		}
	}
	told.passes = s.soonest(p.granted, func(wait time.Duration) bool { return s.exhaust(t, wait).again > 0 })
	told.back = s.soonest(p.granted, func(wait time.Duration) bool { return s.exhaust(t, wait).again >= p.granted })
	return told
}

// longest returns more time than granted requests need to come back.
func (s server) longest(granted int) time.Duration {
	return 2*time.Duration(granted)*s.every() + s.window
}

// soonest returns the shortest wait after which holds is true, to a grain.
func (s server) soonest(granted int, holds func(wait time.Duration) bool) time.Duration {
	grains := sort.Search(int(s.longest(granted)/grain), func(n int) bool { return holds(time.Duration(n) * grain) })
	return time.Duration(grains) * grain
}

// A probe is how many requests a server grants at once, and how many more after a wait.
type probe struct {
	readings       []validate.Reading // of all responses up to the first refusal
	fields         []string
	granted, again int
}

// exhaust uses up a server's quota, and asks for as much again after a wait.
func (s server) exhaust(t *testing.T, wait time.Duration) (p probe) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(epoch)) // before the server starts its clock, which would tick for thirty years
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
			p.readings = append(p.readings, validate.Response(resp, time.Now(), validate.Bounds{}))
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

// limitFields returns the fields on limits, as they were sent.
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

// The truth about ulule/limiter is known: its reset is cut to whole seconds, and it reports no wait.
func TestTruth(t *testing.T) {
	second := ulules()[1]
	require.Equal(t, truth{
		fields:  []string{"X-Ratelimit-Limit: 10", "X-Ratelimit-Remaining: 9", "X-Ratelimit-Reset: 1893456001"},
		granted: 10, remaining: "9",
		wait: "–", passes: time.Second + grain, // it passes from the first nanosecond after the second
		reset: "1 s", back: time.Second + grain,
	}, second.truth(t))
}

// For each server the test finds when it is used up, when the first unit comes back, and when all have come
// back.
func TestTruths(t *testing.T) {
	for _, s := range handlers() {
		t.Run(s.name, func(t *testing.T) {
			x := s.truth(t)
			t.Logf("%+v", x)
			require.Positive(t, x.granted)
			require.Less(t, x.back, s.longest(x.granted), "all of it has come back")
			require.LessOrEqual(t, x.passes, x.back+grain)
			require.Equal(t, s.reports, len(x.fields) > 0)
		})
	}
}
