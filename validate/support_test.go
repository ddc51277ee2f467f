package validate_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// received is the time of receipt of the responses in these tests. The servers' clocks are right unless a
// row says otherwise.
var received = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

const (
	date    = "Date: Wed, 04 Mar 2026 12:00:00 GMT"
	s       = time.Second
	wait0   = time.Duration(0)
	unknown = validate.Unknown
)

// A row is a response and the expected Reading.
type row struct {
	name     string
	url      string    // of the request; "": not known
	status   int       // 0: 200
	header   []string  // "Name: value"
	at       time.Time // of receipt; zero: received
	noClock  bool      // the time of receipt is not known
	bounds   validate.Bounds
	limits   []limits.Reported
	wait     time.Duration // Retry-After, if hasWait
	hasWait  bool
	refused  bool
	problems []string // "Field: reason"
}

func run(t *testing.T, rows []row) {
	t.Helper()
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			got := x.message().read(x.receivedAt(), x.bounds)
			if !x.hasWait {
				x.wait = validate.Unknown
			}
			require.Equal(t, x.limits, withoutDialects(got.Limits), "limits")
			require.Equal(t, x.wait, got.RetryAfter, "Retry-After")
			require.Equal(t, x.refused, got.Verdict.IsRefusal(), "throttled")
			require.Equal(t, x.problems, problems(got), "problems")
		})
	}
}

func (x *row) receivedAt() time.Time {
	switch {
	case x.noClock:
		return time.Time{}
	case x.at.IsZero():
		return received
	}
	return x.at
}

func (x *row) message() message {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	m := msg(x.status, x.header...)
	m.url = x.url
	return m
}

// A message is the head of a response.
type message struct {
	status int
	header http.Header
	url    string // of the request; "": not known
}

func msg(status int, lines ...string) message {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		h.Add(name, strings.TrimPrefix(value, " "))
	}
	return message{status: status, header: h}
}

func (m message) response() *http.Response {
	resp := &http.Response{StatusCode: m.status, Header: m.header}
	if m.url != "" {
		resp.Request = httptest.NewRequest(http.MethodGet, m.url, http.NoBody)
	}
	return resp
}

func (m message) read(at time.Time, b validate.Bounds) validate.Reading {
	return validate.Response(m.response(), at, b)
}

func problems(r validate.Reading) (out []string) {
	for _, p := range r.Problems {
		out = append(out, p.Field+": "+string(p.Reason))
	}
	return out
}

// withoutDialects clears the dialects of limits. TestDialects tests them.
func withoutDialects(all []limits.Reported) []limits.Reported {
	for i := range all {
		all[i].Dialect = 0
	}
	return all
}

// limit returns a limit of requests without a name.
func limit(quota, remaining int64, window, reset time.Duration) limits.Reported {
	return limits.Reported{Unit: limits.Requests, Quota: quota, Remaining: remaining, Window: window, Reset: reset}
}

func named(policy string, l limits.Reported) limits.Reported {
	l.Policy = policy
	return l
}

func withKey(key string, l limits.Reported) limits.Reported {
	l.PartitionKey = key
	return l
}

func withUnit(unit limits.Unit, l limits.Reported) limits.Reported {
	l.Unit = unit
	return l
}

func limitList(l ...limits.Reported) []limits.Reported { return l }
