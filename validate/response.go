package validate

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// MaxLimits is how many limits of one family of fields are read, and how many policies of RateLimit-Policy and -Limit fields
// together; the rest is ignored. No server sends so many with one response.
const MaxLimits = parse.MaxNamed

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
	r := NewReader(b, nil, own...)
	r.received, r.doubts = receivedAt, false
	reading := *r.Read(resp)
	if len(reading.Limits) == 0 {
		reading.Limits = nil
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
}

// Memory of all Readers, as Response makes one for each call.
//
//nolint:gochecknoglobals // safe for concurrent use
var (
	parsed sync.Pool // Fields that are zero, but for the memory of their Rows and Waits
	free   sync.Pool // Readings that were given to Free, with the memory of their Limits
)

// NewReader returns a Reader with bounds b. now returns the local time; nil means that it is not known.
// The Reader calls now at most once for each response: for a point in time that the response's Date
// cannot place. now must be safe for concurrent use. own has the caller's profiles, as for [Response]; they
// must not be changed any more.
func NewReader(b Bounds, now func() time.Time, own ...Profile) *Reader {
	own = slices.Clone(own)
	for i := range own {
		own[i] = *own[i].compiled()
	}
	return &Reader{bounds: b.OrDefaults(), now: now, own: own, doubts: true, empty: Reading{RetryAfter: Unknown}}
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
	isError := resp != nil && resp.StatusCode >= http.StatusBadRequest
	if len(found) == 0 && !isError && !profile.addsLimits() {
		return &r.empty
	}
	x := reader{Reader: r, Reading: r.writable(&r.empty), resp: resp, profile: profile}
	x.read(found)
	return x.Reading
}

// writable returns a Reading with the contents of reading that may be written to.
func (r *Reader) writable(reading *Reading) *Reading {
	if reading != &r.empty {
		return reading
	}
	reading, ok := free.Get().(*Reading)
	if !ok {
		reading = &Reading{Limits: make([]limits.Reported, 0, usualLimits)}
	}
	reading.RetryAfter = Unknown
	return reading
}

// Free lets the Reader reuse a Reading that its Read returned. Call it at most once for a Reading, or not
// at all. The Reading must not be used afterwards.
func (r *Reader) Free(reading *Reading) {
	if reading != &r.empty {
		clear(reading.Limits) // so that no header is kept alive
		*reading = Reading{Limits: reading.Limits[:0]}
		free.Put(reading)
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

// A reader is the state of one call of Read. While limits are read, isRefused is true if the status and
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

// read reads what was found.
func (r *reader) read(found []parse.Found) {
	f, ok := parsed.Get().(*parse.Fields)
	if !ok {
		f = &parse.Fields{Rows: make([]parse.Row, 0, usualRows)}
	}
	f.Read(found)
	r.fields = f
	r.setClock(f.Age, f.FromCache)
	if status := r.resp.StatusCode; f.IsUsual && status < http.StatusBadRequest && len(r.profile.Fields) == 0 {
		r.readUsual()
	} else {
		r.malformed(f.Problems)
		r.wait(f.Waits)
		r.readLimits()
		if status >= http.StatusBadRequest {
			r.isRefused = r.isRefusal(r.Limits)
			r.readSigns()
			r.judge()
		}
	}
	clear(f.Rows) // so that no header is kept alive
	clear(f.Waits)
	*f = parse.Fields{Rows: f.Rows[:0], Waits: f.Waits[:0]}
	parsed.Put(f)
}

// readUsual reads the limit of usual fields as readLimits does, in less time.
func (r *reader) readUsual() {
	row, policy := &r.fields.Rows[0], &r.fields.Rows[len(r.fields.Rows)-1]
	l := r.limitOf(row)
	l.Quota, l.Window, row.Names.Limit = policy.Limit, policy.Window, policy.Names.Limit
	r.addDocumented(row, &l)
	r.add(row, &l)
}

// readLimits reads the limits in the order of precedence of their families, and then those of the profile. It reads none of
// a response from a cache: a positive Age means that the origin server did not answer this request (RFC 9111 §5.1).
func (r *reader) readLimits() {
	f, cache := r.fields, ""
	switch {
	case f.Age > 0:
		cache = "Age"
	case f.FromCache:
		cache = "X-From-Cache"
	}
	r.Cached = cache != ""
	r.isRefused = r.isRefusal(nil)
	if r.Cached {
		r.problemIf(len(f.Rows) > 0, cache, Cached)
		return
	}
	for d := limits.DialectRateLimit; d <= limits.DialectPolicy; d++ {
		r.family(d)
	}
	r.described()
	r.addSilent()
}
