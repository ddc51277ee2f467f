package main

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// reportVersion is raised when the meaning of a JSON member changes, but not when a member is added.
const reportVersion = 1

// mostEarlier bounds the list of responses before the last one.
const mostEarlier = 20

// A report is the program's result. The package comment describes its JSON for scripts.
type report struct {
	Version  int       `json:"version"`
	Source   string    `json:"source"`
	Request  request   `json:"request"`
	Response response  `json:"response"`
	Earlier  []earlier `json:"earlier"`

	Throttled  bool     `json:"throttled"`
	Verdict    string   `json:"verdict,omitempty"`
	Sign       string   `json:"sign,omitempty"`
	Cached     bool     `json:"cached"`
	RetryAfter span     `json:"retry_after"`
	Violated   []string `json:"violated_policies"`
	Limits     []limit  `json:"limits"`

	Problems []problem         `json:"problems"`
	Pacing   pacing            `json:"pacing"`
	Moves    []move            `json:"requests"`
	Notes    []string          `json:"notes"`
	Profile  *validate.Profile `json:"profile,omitempty"`
	ExitCode int               `json:"exit_code"`
}

type request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

type response struct {
	Status   int       `json:"status"`
	Protocol string    `json:"protocol"`
	Received time.Time `json:"received"`
}

// A limit is a limit in the response, and headway's pace for it.
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
	Rate         rate   `json:"rate"`
	Share        rate   `json:"share"`
}

// A move has the numbers after one of several requests.
type move struct {
	After     span    `json:"after"`
	Status    int     `json:"status"`
	Throttled bool    `json:"throttled"`
	Limits    []limit `json:"limits"`
}

// newReport makes the report on an exchange.
func newReport(x *exchange, now func() time.Time) *report {
	reading, found := x.reading(), simulate(x, now)
	r := &report{
		Version:    reportVersion,
		Source:     "url",
		Request:    request{x.request.Method, x.url},
		Response:   response{x.status, x.proto, x.at.UTC().Truncate(time.Millisecond)},
		Earlier:    x.earlier,
		Throttled:  reading.Verdict != validate.VerdictNone,
		Verdict:    reading.Verdict.String(),
		Sign:       reading.Sign,
		Cached:     reading.Cached,
		RetryAfter: span(reading.RetryAfter),
		Violated:   reading.Violated,
		Limits:     found.limits(reading.Limits),
		Problems:   problems(&reading, x.header),
		Pacing:     found.pacing(&reading, x.at),
		Moves:      moves(x.steps),
		Notes:      x.notes,
		Profile:    suggest(x, &reading),
	}
	if x.testbed == nil {
		r.Source = "recording"
	}
	switch rest := len(reading.Problems) - len(r.Problems); {
	case rest == 1:
		r.Notes = append(r.Notes, "1 more problem is not listed")
	case rest > 1:
		r.Notes = append(r.Notes, fmt.Sprintf("%d more problems are not listed", rest))
	}
	r.finish(x)
	return r
}

// finish bounds the lists and sets the exit code.
func (r *report) finish(x *exchange) {
	if rest := len(r.Earlier) - mostEarlier; rest > 0 {
		r.Earlier = r.Earlier[rest:]
		r.Notes = append(r.Notes, fmt.Sprintf("%d earlier responses are not listed", rest))
	}
	if x.skipped > 0 {
		r.Notes = append(r.Notes, strconv.Itoa(x.skipped)+" lines of recorded heads are not header fields and were skipped")
	}
	r.ExitCode = r.exitCode(x)
	// Scripts should find empty lists, not null.
	r.Earlier, r.Violated = orEmpty(r.Earlier), orEmpty(r.Violated)
	r.Moves, r.Notes = orEmpty(r.Moves), orEmpty(r.Notes)
}

func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

func (r *report) exitCode(x *exchange) int {
	switch {
	case x.failed:
		return exitFailed
	case len(r.Problems) > 0 || x.skipped > 0:
		return exitIgnored
	case len(r.Limits) == 0 && r.RetryAfter < 0:
		return exitNothing
	}
	return exitLimits
}

// limits joins the limits in the response with headway's pace for each.
func (o *outcome) limits(reported []limits.Reported) []limit {
	all := newLimits(reported)
	for _, known := range o.state.Limits {
		i := slices.IndexFunc(reported, func(l limits.Reported) bool {
			return l.Policy == known.Policy && l.PartitionKey == known.PartitionKey && l.Unit == known.Unit
		})
		if i >= 0 {
			all[i].Rate, all[i].Share = rate(known.Rate), rate(known.Share)
		}
	}
	return all
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

// moves returns the numbers after each request.
func moves(steps []step) (all []move) {
	for _, s := range steps {
		reading := s.reading()
		all = append(all, move{span(s.after), s.status, reading.Verdict != validate.VerdictNone, newLimits(reading.Limits)})
	}
	return all
}

// statusText returns the status code with its name.
func statusText(status int) string {
	text := strconv.Itoa(status)
	if name := http.StatusText(status); name != "" {
		text += " " + name
	}
	return text
}
