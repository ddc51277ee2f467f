package validate_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// TestRule11WaitAliases checks the fields that servers send beside or instead of Retry-After.
//
// retry-after-ms (OpenAI, Azure App Configuration) and x-ms-retry-after-ms (Azure Cosmos DB) are
// Retry-After in milliseconds. If both agree within a second the finer one counts, else the longer one.
// X-Retry-After, X-RateLimit-Retry-After (MailerLite), X-Rate-Limit-Retry-After-Seconds (bucket4j) and
// X-Retry-In (Traefik) count only if there is no Retry-After.
func TestRule11WaitAliases(t *testing.T) {
	var rows []row
	for _, c := range []struct {
		name   string
		header []string
		want   time.Duration
	}{
		{"retry-after-ms alone", []string{"retry-after-ms: 50"}, 50 * time.Millisecond},
		{"x-ms-retry-after-ms alone", []string{"x-ms-retry-after-ms: 50"}, 50 * time.Millisecond},
		{"a fraction of a millisecond", []string{"retry-after-ms: 0.5"}, 500 * time.Microsecond},
		{"milliseconds that were rounded up", []string{"Retry-After: 2", "retry-after-ms: 1250"}, 1250 * time.Millisecond},
		{"milliseconds that were cut off", []string{"Retry-After: 1", "retry-after-ms: 1999"}, 1999 * time.Millisecond},
		{"less than a second", []string{"Retry-After: 1", "retry-after-ms: 10"}, 10 * time.Millisecond},
		{"far fewer milliseconds", []string{"Retry-After: 30", "retry-after-ms: 30"}, 30 * s},
		{"far more milliseconds", []string{"Retry-After: 2", "retry-after-ms: 60000"}, 60 * s},
		{"just too far apart", []string{"Retry-After: 3", "x-ms-retry-after-ms: 1999"}, 3 * s},
		{"both names of milliseconds", []string{"retry-after-ms: 900", "x-ms-retry-after-ms: 700"}, 900 * time.Millisecond},
		{"a date and milliseconds", []string{date, "Retry-After: Wed, 04 Mar 2026 12:00:30 GMT", "retry-after-ms: 29500"}, 29500 * time.Millisecond},
		{"huge", []string{"retry-after-ms: 99999999999999999999"}, validate.DefaultMaxReset},

		{"X-Retry-After", []string{"X-Retry-After: 7"}, 7 * s},
		{"X-RateLimit-Retry-After", []string{"X-RateLimit-Retry-After: 7"}, 7 * s},
		{"X-Rate-Limit-Retry-After-Seconds", []string{"X-Rate-Limit-Retry-After-Seconds: 7"}, 7 * s},
		{"X-Retry-In", []string{"X-Retry-In: 1m30.5s"}, 90500 * time.Millisecond},
		{"the longest of several", []string{"X-Retry-After: 7", "X-RateLimit-Retry-After: 9"}, 9 * s},
		{"Retry-After before a longer one", []string{"Retry-After: 5", "X-Retry-After: 60"}, 5 * s},
		{"Retry-After before a shorter one", []string{"Retry-After: 5", "X-Retry-In: 1s"}, 5 * s},
		{"Retry-After 0 before another", []string{"Retry-After: 0", "X-Retry-After: 60"}, 0},
		{"milliseconds before another", []string{"retry-after-ms: 500", "X-Retry-After: 60"}, 500 * time.Millisecond},
	} {
		x := row{name: c.name, status: 429, header: c.header, hasWait: true, wait: c.want, refused: true}
		if c.want == validate.DefaultMaxReset {
			x.problems = []string{"Retry-After-Ms: longer than MaxReset, clamped"}
		}
		rows = append(rows, x)
	}
	run(t, append(rows,
		row{
			name: "malformed milliseconds hide nothing", status: 429,
			header:  []string{"Retry-After: 5", "retry-after-ms: soon"},
			hasWait: true, wait: 5 * s, refused: true, problems: []string{"Retry-After-Ms: malformed"},
		},
		row{
			name: "a malformed Retry-After hides nothing", status: 429,
			header:  []string{"Retry-After: soon", "X-Retry-After: 7"},
			hasWait: true, wait: 7 * s, refused: true, problems: []string{"Retry-After: malformed"},
		},
		row{
			name: "a sign", status: 429,
			header:  []string{"retry-after-ms: -50"},
			refused: true, problems: []string{"Retry-After-Ms: malformed"},
		},
		row{name: "proof of a 503", status: 503, header: []string{"retry-after-ms: 50"}, hasWait: true, wait: 50 * time.Millisecond, refused: true},
		row{name: "no refusal by itself", header: []string{"X-Retry-After: 7"}, hasWait: true, wait: 7 * s},
	))
}
