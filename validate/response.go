package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// MaxLimits is how many items each of RateLimit, RateLimit-Policy and a -Limit
// field may have, and how many limits may be told by fields with names of their own,
// but for the last one's policies. No server has that many limits for one request; what
// comes after them is ignored.
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
//
// What a Profile tells of the host of resp.Request is added: the first one for it of own,
// else the built-in one, if there is any.
func Response(resp *http.Response, receivedAt time.Time, b Bounds, own ...Profile) Reading {
	if resp == nil {
		return Reading{RetryAfter: Unknown}
	}
	var fields parse.Fields
	if !fields.Read(resp.Header) && resp.StatusCode < http.StatusBadRequest {
		return Reading{RetryAfter: Unknown}
	}
	r := reader{
		Reading: Reading{RetryAfter: Unknown},
		resp:    resp,
		own:     own,
		bounds:  b.OrDefaults(),
		clock:   clock{header: resp.Header, received: receivedAt, age: fields.Age, isLocal: fields.FromCache},
	}
	r.Cached = cachedBy(&fields) != ""
	r.malformed(fields.Problems)
	r.wait(&fields)
	r.Throttled = throttled(resp.StatusCode, r.RetryAfter, nil) || r.refusedBy(resp.StatusCode)
	r.limits(&fields)
	r.Throttled = r.Throttled || throttled(resp.StatusCode, r.RetryAfter, r.Limits)
	if resp.StatusCode >= http.StatusBadRequest {
		r.refusal(resp.StatusCode)
	}
	return r.Reading
}

// A reader is the state of one call of Response. Throttled is true while limits
// are read if the request was refused whatever they say.
type reader struct {
	Reading
	resp    *http.Response
	own     []Profile // the caller's
	profile Profile   // of the host
	isRead  bool      // it has been looked for
	bounds  Bounds
	clock   clock
	told    int // number of Limits that earlier families told
}

// limits reads the families in their order of precedence.
func (r *reader) limits(f *parse.Fields) {
	if !tells(f) {
		return
	}
	if field := cachedBy(f); field != "" {
		r.problem(field, Cached)
		return
	}
	items := atMost(r, "RateLimit", f.RateLimit.All())
	shared := policies{source: source{dialect: limits.DialectPolicy}, all: atMost(r, "RateLimit-Policy", f.Policy.All())}
	r.Limits = make([]limits.Told, 0, max(1, len(items), len(shared.all), len(f.Named)))

	r.structured(items, &shared)
	r.counts(limits.DialectTrio, &f.Trio, &shared)
	r.named(f.Named)
	r.counts(limits.DialectXRateLimit, &f.XRateLimit, &shared)
	r.counts(limits.DialectXDashed, &f.XDashed, &shared)
	r.alone(&shared)
	if len(r.Limits) == 0 {
		r.Limits = nil
	}
}

func tells(f *parse.Fields) bool {
	return len(f.RateLimit.All()) > 0 || len(f.Policy.All()) > 0 || len(f.Named) > 0 ||
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
