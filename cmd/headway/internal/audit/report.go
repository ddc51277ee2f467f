package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// Version is raised when the meaning of a member of the JSON changes, but not when a member is added.
const Version = 1

// A Report is what an audit has found.
type Report struct {
	Version   int       `json:"version"`
	Method    string    `json:"method"`
	URL       string    `json:"url"` // without user, password and query
	Sent      int       `json:"sent"`
	Refused   int       `json:"refused"`
	Took      Seconds   `json:"took"`
	Findings  []Finding `json:"findings"`
	Suggested []string  `json:"suggested"` // header fields
	Requests  []Request `json:"requests"`
	Notes     []string  `json:"notes"`
	ExitCode  int       `json:"exit_code"`
}

// A Request is a line of the evidence.
type Request struct {
	After      Seconds `json:"after"` // from the first request
	Kind       Kind    `json:"kind"`
	Status     int     `json:"status"`
	Refused    bool    `json:"refused"`
	RetryAfter Seconds `json:"retry_after"`
	Limits     []Limit `json:"limits"`
}

// A Limit is what a response told of a limit.
type Limit struct {
	Policy    string  `json:"policy"`
	Remaining *int64  `json:"remaining"`
	Reset     Seconds `json:"reset"`
}

// Seconds is a duration in seconds; negative: not told, null in JSON.
type Seconds time.Duration

// String returns the duration in words of Go, "-" if it was not told.
func (s Seconds) String() string {
	if s < 0 {
		return "-"
	}
	return short(time.Duration(s)).String()
}

// MarshalJSON returns the number of seconds, to the millisecond.
func (s Seconds) MarshalJSON() ([]byte, error) {
	if s < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(time.Duration(s).Milliseconds()) / 1000)
}

// Check makes the report on exchanges, of which there is at least one. cost is how many units a request uses unless the
// server says so; 0 means 1.
func Check(all []*Exchange, cost int64) *Report {
	s := look(all, max(cost, 1))
	r := &Report{
		Version: Version, Method: all[0].Response.Request.Method, Sent: len(all), Refused: len(s.refusals()),
		Took: Seconds(s.took()), Findings: s.findings(), Notes: []string{},
	}
	r.Suggested = s.suggested(r)
	for _, x := range all {
		line := Request{
			After: Seconds(x.Sent.Sub(all[0].Sent)), Kind: x.Kind, Status: x.Response.StatusCode,
			Refused: x.refused, RetryAfter: Seconds(x.reading.RetryAfter), Limits: []Limit{},
		}
		for i := range x.reading.Limits {
			l := &x.reading.Limits[i]
			told := Limit{Policy: strings.Trim(word(l.Policy), `"`), Reset: Seconds(l.Reset)}
			if l.Remaining >= 0 {
				told.Remaining = &l.Remaining
			}
			line.Limits = append(line.Limits, told)
		}
		r.Requests = append(r.Requests, line)
	}
	return r
}

// Has reports whether a check has this verdict; id "" means any check.
func (r *Report) Has(id string, v Verdict) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return (id == "" || f.ID == id) && f.Verdict == v })
}

// Summary says in a line what was sent.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s %s: %d requests in %v, %d of them refused", r.Method, r.URL, r.Sent, r.Took, r.Refused)
}

// suggested returns fields in the form of the draft that tell what the responses told, and leave open what is not known
// or not true. It returns none if the responses have these fields and nothing is to be mended.
func (s *seen) suggested(r *Report) []string {
	isDraft := len(s.limits) > 0
	var policies, lefts []string
	for _, l := range s.limits {
		p := l.points[len(l.points)-1]
		isDraft = isDraft && p.Dialect == limits.DialectRateLimit
		name := `"` + bare(cmp.Or(p.Policy, "default")) + `"`
		unit := ""
		if p.Unit != "" && p.Unit != limits.Requests {
			unit = `;qu="` + bare(string(p.Unit)) + `"`
		}
		policies = append(policies, name+";q="+known(p.Quota, "QUOTA")+unit+";w="+known(ceil(p.Window), "SECONDS"))
		reset := ceil(p.Reset)
		if r.Has("reset", Misleading) || r.Has("end", Misleading) {
			reset = -1
		}
		left := p.Remaining
		if r.Has("remaining", Misleading) {
			left = -1
		}
		lefts = append(lefts, name+";r="+known(left, "REMAINING")+";t="+known(reset, "SECONDS"))
	}
	if len(s.limits) == 0 {
		policies, lefts = []string{`"default";q=QUOTA;w=SECONDS`}, []string{`"default";r=REMAINING;t=SECONDS`}
	}
	if isDraft && !r.Has("policy", NotTold) && !r.Has("", Misleading) {
		return []string{}
	}
	return []string{"RateLimit-Policy: " + strings.Join(policies, ", "), "RateLimit: " + strings.Join(lefts, ", ")}
}

// bare returns a name as a String of RFC 9651 can hold it.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, name[:min(len(name), 40)])
}

// ceil returns whole seconds, rounded up; negative if d is.
func ceil(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return int64((d + time.Second - 1) / time.Second)
}

func known(n int64, placeholder string) string {
	if n < 0 {
		return placeholder
	}
	return fmt.Sprint(n)
}

// Page returns the report in Markdown, to attach to a ticket.
func (r *Report) Page() string {
	var b strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) }
	line("# What %s tells about its rate limits\n\n`headway audit`, %s.\n", cell(r.URL), cell(r.Summary()))
	line("| check | verdict | what was found | what would help |\n| --- | --- | --- | --- |")
	for _, f := range r.Findings {
		id := f.ID
		if f.Limit != "" {
			id += " " + f.Limit
		}
		line("| %s | %s | %s | %s |", cell(id), f.Verdict, cell(f.Text), cell(f.Suggestion))
	}
	line("\n\"not told\" means that clients cannot know it. \"not seen\" means that the requests did not show it.")
	if len(r.Suggested) > 0 {
		line("\nIn the form of draft-ietf-httpapi-ratelimit-headers the last response would have:\n\n```text\n%s\n```", strings.Join(r.Suggested, "\n"))
	}
	line("\n| sent after | request | status | Retry-After | left, and time to the reset |\n| --: | --- | --: | --: | --- |")
	for _, x := range r.Requests {
		line("| %v | %s | %d | %v | %s |", x.After, x.Kind, x.Status, x.RetryAfter, cell(x.told()))
	}
	for _, note := range r.Notes {
		line("\n%s.", cell(note))
	}
	return b.String()
}

// told returns the limits in words.
func (x *Request) told() string {
	all := make([]string, 0, len(x.Limits))
	for _, l := range x.Limits {
		left := "-"
		if l.Remaining != nil {
			left = fmt.Sprint(*l.Remaining)
		}
		all = append(all, strings.TrimSpace(l.Policy+" "+left+", "+l.Reset.String()))
	}
	return strings.Join(all, "; ")
}

// cell escapes what Markdown and HTML would take for their own.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "[", `\[`, "_", `\_`).Replace(text)
}
