package validate

import (
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// MaxLimits is how many items of RateLimit, of RateLimit-Policy and of each -Limit field are read; the
// rest is ignored. It also bounds the limits whose fields have labels; only the policies of the last one
// may exceed it. No server sends so many limits with one response.
const MaxLimits = 64

// Response reads what resp reports about rate limits. receivedAt is when its header arrived, by the local
// clock. It is used only for points in time that the response's Date cannot place; it may be zero if it
// is not known. Numbers beyond b are clamped.
//
// Response does not read the Body. Any status and any header are accepted, nil too; the Reading of a nil
// resp is silent. Response returns no error: numbers that a client cannot rely on are Unknown or left
// out, and listed in Problems. The Reading shares strings with the header.
//
// The Profile of the host of resp.Request adds what the response leaves out. It is the first one of own
// that matches, else the built-in one if there is one.
func Response(resp *http.Response, receivedAt time.Time, b Bounds, own ...Profile) Reading {
	reading := Reading{RetryAfter: Unknown}
	var room [parse.UsualFields]parse.Found
	profile := findProfile(resp, own)
	if found := find(resp, profile, room[:0]); mayHaveLimits(resp, found) || profile.addsLimits() {
		r := Reader{bounds: b.OrDefaults(), received: receivedAt}
		r.read(resp, profile, found, &reading)
		if len(reading.Limits) == 0 {
			reading.Limits = nil
		}
	}
	return reading
}

// A Reader reads responses as [Response] does. It reuses memory, so that reading an ordinary response
// allocates nothing. It doubts a -Reset without a unit that would be more than an hour, see Doubted, unless the window or
// a Profile explains it. It may be used concurrently.
type Reader struct {
	bounds   Bounds // all positive
	own      []Profile
	now      func() time.Time
	received time.Time // used if now is nil
	doubts   bool      // of resets without a unit that are more than an hour
	empty    Reading   // the result for a response without rate-limit fields; never written to
	rows     sync.Pool // slices of rows
	free     sync.Pool // Readings that were given to Free, with the memory of their Limits
}

// NewReader returns a Reader with bounds b. now returns the local time; nil means that it is not known.
// The Reader calls now at most once for each response: for a point in time that the response's Date
// cannot place. now must be safe for concurrent use. own has the caller's profiles, as for [Response]; they
// must not be changed any more.
func NewReader(b Bounds, now func() time.Time, own ...Profile) *Reader {
	return &Reader{
		bounds: b.OrDefaults(), now: now, own: compiled(own), doubts: true, empty: Reading{RetryAfter: Unknown},
		free: sync.Pool{New: func() any { return &Reading{Limits: make([]limits.Reported, 0, usualLimits)} }},
	}
}

// Capacities that are enough for nearly all responses.
const (
	usualLimits = 4
	usualRows   = 6
)

// Read returns what resp reports about rate limits, as [Response] does. The result is never nil. It is
// valid until it is passed to Free, and so are its Limits. Only its own methods may change it.
func (r *Reader) Read(resp *http.Response) *Reading {
	var room [parse.UsualFields]parse.Found
	profile := findProfile(resp, r.own)
	found := find(resp, profile, room[:0])
	if !mayHaveLimits(resp, found) && !profile.addsLimits() {
		return &r.empty
	}
	reading := r.free.Get().(*Reading) //nolint:forcetypeassert // free has nothing else
	reading.RetryAfter = Unknown
	r.read(resp, profile, found, reading)
	return reading
}

// Free lets the Reader reuse a Reading that its Read returned. Call it at most once for a Reading, or not
// at all. The Reading must not be used afterwards.
func (r *Reader) Free(reading *Reading) {
	if reading != &r.empty {
		clear(reading.Limits) // so that no header is kept alive
		*reading = Reading{Limits: reading.Limits[:0]}
		r.free.Put(reading)
	}
}

func find(resp *http.Response, profile *Profile, room []parse.Found) []parse.Found {
	if resp == nil {
		return nil
	}
	header := resp.Header
	if len(profile.Fields) > 0 { // a call less for nearly all hosts
		header = profile.readable(header)
	}
	return parse.Find(header, room)
}

// mayHaveLimits reports whether a response has a rate-limit field or is an error.
func mayHaveLimits(resp *http.Response, found []parse.Found) bool {
	return len(found) > 0 || resp != nil && resp.StatusCode >= http.StatusBadRequest
}

// read reads a response into reading, which is empty.
func (r *Reader) read(resp *http.Response, profile *Profile, found []parse.Found, reading *Reading) {
	rows, ok := r.rows.Get().(*[]parse.Row)
	if !ok {
		rows = new(make([]parse.Row, 0, usualRows))
	}
	f := parse.Fields{Rows: *rows}
	f.Read(found)
	x := reader{Reader: r, Reading: reading, resp: resp, profile: profile, fields: &f}
	x.setClock(f.Age, f.FromCache)
	if f.IsUsual && resp.StatusCode < http.StatusBadRequest && len(profile.Fields) == 0 {
		x.readUsual()
	} else {
		x.read()
	}
	clear(f.Rows) // so that no header is kept alive
	*rows = f.Rows[:0]
	r.rows.Put(rows)
}

// readUsual reads the limit of usual fields, without a refusal, as read does in twice the time.
func (r *reader) readUsual() {
	rows := r.fields.Rows
	from := sourceOf(rows[0].Family)
	l := r.limitOf(&from, &rows[0])
	if len(rows) > 1 {
		l.Quota, l.Window = rows[1].Limit, rows[1].Window
	}
	r.addDocumented(&l, 0)
	r.add(&from, &l)
}

// A reader is the state of one call of Read. While limits are read, Throttled is true if the status and
// Retry-After alone show a refusal.
type reader struct {
	*Reader
	*Reading
	resp    *http.Response
	profile *Profile // of the host
	fields  *parse.Fields
	clock   clock
	earlier int // the number of Limits of earlier families
}

func (r *reader) read() {
	r.malformed(r.fields.Problems)
	r.wait(r.fields)
	r.readLimits()
	if status := r.resp.StatusCode; status >= http.StatusBadRequest {
		r.Throttled = r.Throttled || throttled(status, r.RetryAfter, r.Limits)
		r.refusal(status)
	}
}

// readLimits reads the limits, unless the response comes from a cache: a positive Age means that the origin server did not
// answer this request (RFC 9111 §5.1).
func (r *reader) readLimits() {
	f, cache := r.fields, ""
	switch {
	case f.Age > 0:
		cache = "Age"
	case f.FromCache:
		cache = "X-From-Cache"
	}
	r.Cached = cache != ""
	r.Throttled = throttled(r.resp.StatusCode, r.RetryAfter, nil) || r.isRefusal(r.resp.StatusCode)
	switch {
	case !r.Cached:
		r.limits()
	case len(f.Rows) > 0:
		r.problem(cache, Cached)
	}
}

// limits reads the families of fields in their order of precedence, and the Fields of the profile. If there are none, it
// adds what the profile documents.
func (r *reader) limits() {
	rows := r.fields.Rows
	from := sourceOf(limits.DialectPolicy)
	shared := policies{source: &from}
	for i := range rows {
		if rows[i].Family == limits.DialectPolicy { // they stand together
			shared.all = rows[i-len(shared.all) : i+1]
		}
	}
	r.truncate(&shared)
	for d := limits.DialectRateLimit; d < limits.DialectPolicy; d++ { // in the order of precedence
		r.family(d, rows, &shared)
	}
	r.addUnused(&shared)
	r.described()
	r.addSilent()
}
