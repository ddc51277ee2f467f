package ratelimittest_test

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

const ms = time.Millisecond

// decided is the time of the decisions in these tests. It is 0.9 s after start, which is 1893456000 in
// seconds since 1970.
var decided = start.Add(900 * ms)

// The decisions that the tests pass to dialects.
var (
	nothing = ratelimittest.Decision{Allowed: true}
	one     = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "default", Quota: 100, Window: time.Minute, Remaining: 50, Reset: 29001 * ms},
	}}
	three = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "hour", Quota: 1000, Window: time.Hour, Remaining: 9, Reset: 1000 * time.Second},
		{Policy: "minute", Quota: 100, Window: time.Minute, Remaining: 9, Reset: 30 * time.Second},
		{Policy: "day", Quota: 5000, Window: 24 * time.Hour, Remaining: 10, Reset: 20 * time.Hour},
	}}
	refusal = ratelimittest.Decision{RetryAfter: 2500 * ms, Limits: []ratelimittest.Limit{
		{Policy: "default", Quota: 100, Window: time.Minute, Remaining: 0, Reset: 2500 * ms},
	}}
	units = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "calls", Unit: "requests", PartitionKey: "app-1", Quota: 60, Window: time.Minute, Remaining: 59, Reset: 600 * ms},
		{Policy: "words", Unit: "tokens", PartitionKey: "app-1", Quota: 150000, Window: time.Minute, Remaining: 149984, Reset: 6 * time.Minute},
	}}
	bareLimit = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "a \"b\\c\"\nd\u00e9", Quota: 5, Remaining: 5, Reset: -1},
	}}
	places = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "places", Unit: "concurrent-requests", Quota: 5, Remaining: 1, Reset: -1},
		{Policy: "minute", Quota: 100, Window: time.Minute, Remaining: 50, Reset: 30 * time.Second},
	}}
	equalQuotas = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "second", Quota: 10, Window: time.Second, Remaining: 9, Reset: time.Second},
		{Policy: "minute", Quota: 10, Window: time.Minute, Remaining: 3, Reset: 30 * time.Second},
		{Policy: "hour", Quota: 20, Window: time.Hour, Remaining: 19, Reset: time.Hour},
		{Policy: "day", Quota: 20, Window: 24 * time.Hour, Remaining: 19, Reset: time.Hour},
	}}
	noWindow = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		equalQuotas.Limits[0],
		{Policy: "whenever", Quota: 10, Remaining: 3, Reset: 30 * time.Second},
		equalQuotas.Limits[2],
	}}
	huge = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "huge", Quota: 1<<63 - 1, Window: 1<<63 - 1, Remaining: 1 << 60, Reset: 1<<63 - 1},
	}}
)

// A golden is the expected output of a dialect for a decision, with "Name: value" lines.
type golden struct {
	name     string
	dialect  ratelimittest.Dialect
	decision ratelimittest.Decision
	want     []string
}

func runGoldens(t *testing.T, rows []golden) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, header(row.want...), written(row.dialect, row.decision))
		})
	}
}

func written(d ratelimittest.Dialect, decision ratelimittest.Decision) http.Header {
	h := http.Header{}
	d(h, decided, decision)
	return h
}

func header(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

func TestSilent(t *testing.T) {
	require.Empty(t, written(ratelimittest.Silent, refusal))
}

// allDialects contains the dialects that report limits.
var allDialects = map[string]ratelimittest.Dialect{
	"Draft10":           ratelimittest.Draft10,
	"Draft07":           draft07,
	"Trio":              ratelimittest.Trio,
	"TrioInLimit":       inLimit,
	"TrioEpoch":         epoch,
	"XRateLimit":        ratelimittest.XRateLimit,
	"XRateLimitDelta":   delta,
	"XRateLimitCounts":  counts,
	"XRateLimitMillis":  millis,
	"XRateLimitRFC3339": rfc3339,
	"Dimensioned":       byUnit,
}

func TestDialectsWithoutLimits(t *testing.T) {
	for name, dialect := range allDialects {
		require.Empty(t, written(dialect, nothing), name)
	}
}

// A dialect writes the same in 100 goroutines at once, and does not change the decision.
func TestDialectsAreSafeForConcurrentUse(t *testing.T) {
	for name, dialect := range allDialects {
		t.Run(name, func(t *testing.T) {
			want := written(dialect, units)
			got := make([]http.Header, 100)
			var wg sync.WaitGroup
			for i := range got {
				wg.Go(func() { got[i] = written(dialect, units) })
			}
			wg.Wait()
			for _, h := range got {
				require.Equal(t, want, h)
			}
		})
	}
}

// A client that waits for the reported time is never early, and less than two seconds late. The dialect
// rounds up, and Date is cut to whole seconds. The test varies the fractions of a second, the duration of the
// service, and the presence of Date.
func TestDialectsNeverReportATimeTooEarly(t *testing.T) {
	fractions := []time.Duration{0, 1, 100 * ms, 500 * ms, 900 * ms, time.Second - 1}
	readable := map[string]ratelimittest.Dialect{"Retry-After": retryAfter, "Retry-After date": retryAfterDate}
	maps.Copy(readable, allDialects)
	delete(readable, "XRateLimitCounts") // it reports no time
	for name, dialect := range readable {
		t.Run(name, func(t *testing.T) {
			for _, offset := range fractions {
				for _, service := range fractions {
					for _, reset := range append(fractions[1:], 29001*ms, time.Hour-1, 20*time.Hour) {
						for _, isDated := range []bool{true, false} {
							now := start.Add(offset)
							early, late := margin(dialect, now, reset, service, isDated)
							require.False(t, early, "%v after a second, reset %v, service %v, Date %v", offset, reset, service, isDated)
							require.False(t, late, "%v after a second, reset %v, service %v, Date %v", offset, reset, service, isDated)
						}
					}
				}
			}
		})
	}
}

// margin simulates a client that waits for a reset. It reports whether the client is early, or later than
// rounding and the time for the response explain.
func margin(d ratelimittest.Dialect, now time.Time, reset, service time.Duration, isDated bool) (early, late bool) {
	h := http.Header{}
	d(h, now, ratelimittest.Decision{RetryAfter: reset, Limits: []ratelimittest.Limit{{Quota: 10, Remaining: 1, Reset: reset}}})
	answered := now.Add(service)
	if isDated && h.Get("Date") == "" {
		h.Set("Date", answered.UTC().Format(http.TimeFormat))
	}
	received := answered.Add(20 * ms)
	reading := validate.Response(&http.Response{StatusCode: 429, Header: h}, received, validate.Bounds{})
	wait := reading.RetryAfter
	if wait == validate.Unknown {
		wait = reading.Limits[0].Reset
	}
	due, comes := now.Add(reset), received.Add(wait)
	return comes.Before(due), comes.After(due.Add(2*time.Second + service + 20*ms))
}

// Package validate reads back what a dialect writes.
func TestDialectsAreReadBack(t *testing.T) {
	limit := func(policy string, quota, remaining int64, window, reset time.Duration) limits.Reported {
		return limits.Reported{Policy: policy, Unit: "requests", Quota: quota, Remaining: remaining, Window: window, Reset: reset}
	}
	const unknown = validate.Unknown
	whole := limit("", 100, 50, time.Minute, 30*time.Second)
	windowless := limit("", 100, 50, unknown, 30*time.Second) // 29.001 s as a delay, 29.901 s after the Date
	tests := []struct {
		name     string
		dialect  ratelimittest.Dialect
		decision ratelimittest.Decision
		want     []limits.Reported
	}{
		{"draft-10", ratelimittest.Draft10, one, []limits.Reported{limit("default", 100, 50, time.Minute, 30*time.Second)}},
		{"draft-10, refused", ratelimittest.Draft10, refusal, []limits.Reported{limit("default", 100, 0, time.Minute, 3*time.Second)}},
		{"draft-10, several", ratelimittest.Draft10, three, []limits.Reported{
			limit("hour", 1000, 9, time.Hour, 1000*time.Second),
			limit("minute", 100, 9, time.Minute, 30*time.Second),
			limit("day", 5000, 10, 24*time.Hour, 20*time.Hour),
		}},
		{"draft-10, units and partition keys", ratelimittest.Draft10, units, []limits.Reported{
			{Policy: "calls", PartitionKey: "YXBwLTE=", Unit: "requests", Quota: 60, Remaining: 59, Window: time.Minute, Reset: time.Second},
			{Policy: "words", PartitionKey: "YXBwLTE=", Unit: "tokens", Quota: 150000, Remaining: 149984, Window: time.Minute, Reset: 6 * time.Minute},
		}},
		{"draft-10, no window and no reset", ratelimittest.Draft10, bareLimit, []limits.Reported{limit(`a "b\c"?d??`, 5, 5, unknown, unknown)}},
		{"draft-07", draft07, one, []limits.Reported{whole}},
		{"draft-07, several", draft07, three, []limits.Reported{
			limit("1000;w=3600", 1000, 9, time.Hour, 1000*time.Second),
			limit("100;w=60", 100, unknown, time.Minute, unknown),
			limit("5000;w=86400", 5000, unknown, 24*time.Hour, unknown),
		}},
		{"trio", ratelimittest.Trio, one, []limits.Reported{whole}},
		{"trio, refused", ratelimittest.Trio, refusal, []limits.Reported{limit("", 100, 0, time.Minute, 3*time.Second)}},
		{"trio, policies in the limit", inLimit, one, []limits.Reported{whole}},
		{"trio with an epoch", epoch, one, []limits.Reported{windowless}},
		{"x-ratelimit", ratelimittest.XRateLimit, one, []limits.Reported{windowless}},
		{"x-ratelimit, refused", ratelimittest.XRateLimit, refusal, []limits.Reported{limit("", 100, 0, unknown, 4*time.Second)}},
		{"x-ratelimit with a delay", delta, one, []limits.Reported{windowless}},
		{"x-ratelimit without a reset", counts, one, []limits.Reported{limit("", 100, 50, unknown, unknown)}},
		{"x-ratelimit in milliseconds", millis, one, []limits.Reported{limit("", 100, 50, unknown, 29901*ms)}},
		{"x-ratelimit as a date", rfc3339, one, []limits.Reported{windowless}},
		{"dimensioned", byUnit, units, []limits.Reported{
			{Policy: "requests", Unit: "requests", Quota: 60, Remaining: 59, Window: unknown, Reset: 600 * ms},
			{Policy: "tokens", Unit: "tokens", Quota: 150000, Remaining: 149984, Window: unknown, Reset: 6 * time.Minute},
		}},
		{"x-ratelimit, no reset", ratelimittest.XRateLimit, bareLimit, []limits.Reported{limit("", 5, 5, unknown, unknown)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := written(tt.dialect, tt.decision)
			h.Set("Date", decided.Format(http.TimeFormat))
			reading := validate.Response(&http.Response{StatusCode: http.StatusOK, Header: h}, decided, validate.Bounds{})
			require.Empty(t, reading.Problems)
			for i := range reading.Limits {
				reading.Limits[i].Dialect = 0 // it is not under test
			}
			require.Equal(t, tt.want, reading.Limits)
		})
	}
}
