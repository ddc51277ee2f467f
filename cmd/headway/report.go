package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// reportVersion is raised when the meaning of a JSON member changes, but not when a member is added.
const reportVersion = 2

// mostProblems bounds the list of problems.
const mostProblems = 50

// A report is what inspect has found. The package comment describes its JSON for scripts.
type report struct {
	Version  int       `json:"version"`
	Method   string    `json:"method"`
	URL      string    `json:"url"` // without user, password and query; "" if unknown
	Status   int       `json:"status"`
	Protocol string    `json:"protocol"`
	Received time.Time `json:"received"`

	Verdict    string   `json:"verdict"`
	Sign       string   `json:"sign"`
	Cached     bool     `json:"cached"`
	RetryAfter span     `json:"retry_after"`
	Violated   []string `json:"violated_policies"`
	Limits     []limit  `json:"limits"`

	Problems []problem `json:"problems"`
	Unknown  []string  `json:"unknown_fields"`
	Pacing   pacing    `json:"pacing"`
	Skipped  int       `json:"skipped_lines"`
	ExitCode int       `json:"exit_code"`
}

// A limit is a limit in a response.
type limit struct {
	Policy       string `json:"policy"`
	PartitionKey string `json:"partition_key"`
	Dialect      string `json:"dialect"`
	Unit         string `json:"unit"`
	Quota        count  `json:"quota"`
	Remaining    count  `json:"remaining"`
	Cost         count  `json:"cost"`
	Window       span   `json:"window"`
	Reset        span   `json:"reset"`
}

// A problem is a field that was ignored or clamped, whole or in part.
type problem struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
	Offset count  `json:"offset"` // in the field's value, in bytes
	Sent   string `json:"sent"`   // the field's value, escaped and cut
}

// newReport makes the report on an exchange with a URL, as it is shown. skipped is how many lines of its head are no fields.
func newReport(x *exchange, url string, skipped int) *report {
	x.date()
	reading := x.reading()
	r := &report{
		Version: reportVersion, Method: x.Request.Method, URL: url, Status: x.StatusCode, Protocol: x.Proto,
		Received: x.received.UTC().Truncate(time.Millisecond),
		Verdict:  reading.Verdict.String(), Sign: reading.Sign, Cached: reading.Cached, RetryAfter: span(reading.RetryAfter),
		Violated: append([]string{}, reading.Violated...), Limits: newLimits(reading.Limits),
		Problems: problems(&reading, x.Header), Unknown: unknownFields(x), Pacing: x.pacing(&reading), Skipped: skipped,
	}
	switch {
	case len(r.Problems) > 0 || skipped > 0:
		r.ExitCode = exitIgnored
	case len(r.Limits) == 0 && r.RetryAfter < 0:
		r.ExitCode = exitNothing
	}
	return r
}

// date sets the Date of a response without a valid one to the time of receipt: points in time in the fields are measured
// against it, and the time at which a recording is read says nothing.
func (x *exchange) date() {
	if _, err := http.ParseTime(x.Header.Get("Date")); err != nil {
		x.Header.Set("Date", x.received.Add(-parse.Header(x.Header).Age).UTC().Format(http.TimeFormat))
	}
}

// response returns a new copy of the response.
func (x *exchange) response() *http.Response {
	resp := *x.Response
	resp.Header, resp.Body, resp.ContentLength = x.Header.Clone(), io.NopCloser(bytes.NewReader(x.body)), -1
	return &resp
}

// reading returns what headway reads from the response, including a body that it needs.
func (x *exchange) reading() validate.Reading {
	r := validate.Response(x.Response, x.received, validate.Bounds{})
	r.ReadBody(x.body)
	return r
}

func newLimits(reported []limits.Reported) []limit {
	all := make([]limit, 0, len(reported))
	for _, l := range reported {
		all = append(all, limit{
			Policy: l.Policy, PartitionKey: l.PartitionKey, Dialect: l.Dialect.String(), Unit: string(l.Unit),
			Quota: count(l.Quota), Remaining: count(l.Remaining), Cost: count(cmp.Or(l.Cost, validate.Unknown)),
			Window: span(l.Window), Reset: span(l.Reset),
		})
	}
	return all
}

// problems lists what was ignored or clamped, by field, up to mostProblems.
func problems(r *validate.Reading, header http.Header) []problem {
	all := []problem{}
	for _, found := range r.Problems[:min(len(r.Problems), mostProblems)] {
		reason := strings.TrimPrefix(found.Error(), "validate: "+found.Field+": ")
		p := problem{Field: found.Field, Reason: reason, Offset: -1, Sent: visible(cut(sent(header, found.Field), longText))}
		if e, ok := errors.AsType[*parse.Error](found.Err); ok {
			p.Offset = count(e.Offset)
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b problem) int { return strings.Compare(a.Field, b.Field) })
	return all
}

// sent returns the value of a field, also of one whose name is not spelled as net/http does. Several lines are joined.
func sent(header http.Header, field string) string {
	for name, lines := range header {
		if strings.EqualFold(name, field) {
			return strings.Join(lines, ", ")
		}
	}
	return ""
}

// mostUnknown bounds the list of unknown fields.
const mostUnknown = 8

// aboutLimits matches names of fields that look like limits.
var aboutLimits = regexp.MustCompile(`(?i)quota|limit|throttl|usage|weight|count-\d|\b(left|remaining)\b`)

// unknownFields returns the names of fields that look like limits, and that headway does not know.
func unknownFields(x *exchange) []string {
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		hasNumber := strings.ContainsAny(x.Header.Get(name), "0123456789")
		if len(all) < mostUnknown && hasNumber && aboutLimits.MatchString(name) && !x.isKnown(name) {
			all = append(all, name)
		}
	}
	return all
}

// isKnown reports whether headway reads a field, or would beside others.
func (x *exchange) isKnown(name string) bool {
	header := http.Header{name: x.Header[name], "Date": x.Header["Date"]}
	alone := validate.Response(&http.Response{StatusCode: http.StatusOK, Header: header, Request: x.Request}, x.received, validate.Bounds{})
	return !alone.IsSilent() || len(alone.Problems) > 0 || len(parse.Find(header, nil)) > 0
}

// manyRequests is the number of requests whose time is forecast.
const manyRequests = 1000

// A pacing says how headway paces requests after a response.
type pacing struct {
	Limited bool       `json:"limited"` // the response has anything that limits requests
	Wait    span       `json:"wait"`    // the least time until the next request may go
	Until   *time.Time `json:"until"`   // the end of Wait; nil if the next request may go now
	Policy  string     `json:"policy"`  // for which the next request waits; "" if none has a name
	Rate    rate       `json:"rate"`    // requests per second, now
	Many    span       `json:"many"`    // how long manyRequests would take, if nobody has to wait now; unknown if no limit says so
}

// A repeater answers each request with the same response.
type repeater struct{ *exchange }

func (r repeater) RoundTrip(*http.Request) (*http.Response, error) { return r.response(), nil }

// pacing gives the response to a Transport, and asks that when the next request could go.
func (x *exchange) pacing(reading *validate.Reading) pacing {
	p := pacing{Limited: len(reading.Limits) > 0 || reading.Verdict.IsRefusal(), Many: -1}
	if !p.Limited {
		return p
	}
	t := &headway.Transport{Base: repeater{x}, MaxRetries: -1, Jitter: -1}
	if resp, err := t.RoundTrip(x.Request); err == nil {
		_ = resp.Body.Close()
	}
	state, next := t.State()[0], t.Forecast(x.Request, 1)
	p.Rate = rate(state.Pace)
	end, policy := firstAfterHold(&state, &next)
	if p.Wait = span(end.Sub(next.At).Round(time.Millisecond)); p.Wait > 0 {
		until := x.received.Add(time.Duration(p.Wait)).UTC()
		p.Until, p.Policy = &until, policy
	} else if many := t.Forecast(x.Request, manyRequests); p.Rate > 0 && !many.Last.IsZero() {
		p.Many = span(many.Last.Sub(many.At).Round(time.Millisecond))
	}
	return p
}

// firstAfterHold returns when the next request may go, without the random delay by which a Transport spreads clients after
// a hold, and because of which policy.
func firstAfterHold(state *headway.PartitionState, next *headway.Forecast) (end time.Time, policy string) {
	take := func(t time.Time, of string) {
		if t.After(next.At) && !t.After(next.First) && !t.Before(end) {
			end, policy = t, of
		}
	}
	take(state.HeldUntil, "")
	for i := range state.Limits {
		if l := &state.Limits[i]; l.Policy == next.Policy {
			take(l.HeldUntil, l.Policy)
			take(l.LatestEnd, l.Policy)
		}
	}
	if end.IsZero() {
		return next.First, next.Policy
	}
	return end, policy
}
