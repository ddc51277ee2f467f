package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// MaxLimits is how many items each of RateLimit, RateLimit-Policy and a -Limit
// field may have. No server has that many limits for one request; what comes
// after them is ignored.
const MaxLimits = 64

// Response reads what resp tells about rate limits. receivedAt is when its
// header arrived, on the local clock; it is used only for points in time that
// the response's Date cannot place, and may be zero if it is not known. b bounds
// what is believed.
//
// The Body is not touched. Any status and any header will do, also nil; a nil
// resp tells nothing. Response returns no error: what cannot be relied on is
// Unknown or left out, and listed in Problems. The Reading refers to strings of
// the header.
func Response(resp *http.Response, receivedAt time.Time, b Bounds) Reading {
	if resp == nil {
		return Reading{RetryAfter: Unknown}
	}
	var fields parse.Fields
	if !fields.Read(resp.Header) {
		return Reading{RetryAfter: Unknown, Throttled: throttled(resp.StatusCode, Unknown, nil)}
	}
	r := reader{
		Reading: Reading{RetryAfter: Unknown},
		bounds:  b.OrDefaults(),
		clock:   clock{header: resp.Header, received: receivedAt, age: fields.Age, isLocal: fields.FromCache},
	}
	r.Cached = cachedBy(&fields) != ""
	r.malformed(fields.Problems)
	r.wait(fields.RetryAfter)
	r.Throttled = throttled(resp.StatusCode, r.RetryAfter, nil)
	r.limits(&fields)
	r.Throttled = throttled(resp.StatusCode, r.RetryAfter, r.Limits)
	return r.Reading
}

// A reader is the state of one call of Response. Throttled is true while limits
// are read if the request was refused whatever they say.
type reader struct {
	Reading
	bounds Bounds
	clock  clock
	told   int // number of Limits that earlier families told
}

func (r *reader) wait(w parse.When) {
	r.RetryAfter = r.retryDelay(w)
	clamp(r, "Retry-After", &r.RetryAfter, r.bounds.MaxReset, TooLong)
}

// limits reads the families in their order of precedence. Dimensioned and
// windowed names belong behind the trio.
func (r *reader) limits(f *parse.Fields) {
	if !tells(f) {
		return
	}
	if field := cachedBy(f); field != "" {
		r.problem(field, Cached)
		return
	}
	items := atMost(r, "RateLimit", f.RateLimit.All())
	shared := policies{source: policyOnly, all: atMost(r, "RateLimit-Policy", f.Policy.All())}
	r.Limits = make([]Limit, 0, max(1, len(items), len(shared.all)))

	r.structured(items, &shared)
	r.counts(trio, &f.Trio, &shared)
	r.counts(xRateLimit, &f.XRateLimit, &shared)
	r.counts(xDashed, &f.XDashed, &shared)
	r.alone(&shared)
	if len(r.Limits) == 0 {
		r.Limits = nil
	}
}

func tells(f *parse.Fields) bool {
	return len(f.RateLimit.All()) > 0 || len(f.Policy.All()) > 0 ||
		f.Trio.Present || f.XRateLimit.Present || f.XDashed.Present
}

// atMost cuts a list off at MaxLimits.
func atMost[T any](r *reader, field string, items []T) []T {
	if len(items) > MaxLimits {
		r.problem(field, Crowded)
		return items[:MaxLimits]
	}
	return items
}
