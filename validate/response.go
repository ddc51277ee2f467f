package validate

import (
	"net/http"
	"sync"
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
	told := Reading{RetryAfter: Unknown}
	var few [parse.UsualFields]parse.Found
	if found := find(resp, few[:0]); mayTell(resp, found) {
		r := Reader{bounds: b.OrDefaults(), received: receivedAt, own: own}
		r.read(resp, found, &told)
		if len(told.Limits) == 0 {
			told.Limits = nil
		}
	}
	return told
}

// A Reader reads one response after another as [Response] does, and allocates nothing for what the
// usual ones tell. It may be used concurrently.
type Reader struct {
	bounds   Bounds // without zeros
	own      []Profile
	now      func() time.Time
	received time.Time // if now is nil
	silence  Reading   // what a response without any field tells; never written to
	free     sync.Pool // Readings that nobody needs, for the memory of their Limits
}

// NewReader returns a Reader that believes what is within b. now tells the local time; it is asked, at most
// once for each response, only where a point in time is told that the response's Date cannot
// place, and has to be safe for concurrent use. nil means that the time is not known. own are as in
// [Response]; they must not be changed any more.
func NewReader(b Bounds, now func() time.Time, own ...Profile) *Reader {
	return &Reader{
		bounds: b.OrDefaults(), now: now, own: own, silence: Reading{RetryAfter: Unknown},
		free: sync.Pool{New: func() any { return &Reading{Limits: make([]limits.Told, 0, usualLimits)} }},
	}
}

// usualLimits is how many limits a response mostly tells at most.
const usualLimits = 4

// Read returns what resp tells about rate limits, just as [Response] does; never nil. The Reading must not be written to
// but by its own methods. It is good until it is handed to Free, and so are its Limits.
func (r *Reader) Read(resp *http.Response) *Reading {
	var few [parse.UsualFields]parse.Found
	found := find(resp, few[:0])
	if !mayTell(resp, found) {
		return &r.silence
	}
	told := r.free.Get().(*Reading) //nolint:forcetypeassert // nothing else is in there
	told.RetryAfter = Unknown
	r.read(resp, found, told)
	return told
}

// Free takes a Reading of Read back, for the next responses: at most once, and none of another Reader. It need not be
// called.
func (r *Reader) Free(told *Reading) {
	if told != &r.silence {
		last := min(len(told.Limits)+1, cap(told.Limits)) // where next put one that add left out
		clear(told.Limits[:last])                         // no header is to be kept alive
		*told = Reading{Limits: told.Limits[:0]}
		r.free.Put(told)
	}
}

func find(resp *http.Response, few []parse.Found) []parse.Found {
	if resp == nil {
		return nil
	}
	return parse.Find(resp.Header, few)
}

// mayTell reports whether a response has any field, or is an error.
func mayTell(resp *http.Response, found []parse.Found) bool {
	return len(found) > 0 || resp != nil && resp.StatusCode >= http.StatusBadRequest
}

// read adds what a response tells to into, which tells nothing.
func (r *Reader) read(resp *http.Response, found []parse.Found, into *Reading) {
	if resp.StatusCode >= http.StatusBadRequest || !r.readUsual(resp, found, into) {
		r.readAny(resp, found, into)
	}
}

// readUsual reads a response that tells one limit as nearly all servers do, and is no error.
func (r *Reader) readUsual(resp *http.Response, found []parse.Found, into *Reading) (ok bool) {
	var u parse.Usual
	if !u.Read(found) {
		return false
	}
	x := reader{Reader: r, Reading: into, resp: resp}
	x.setClock(0, false)
	from := source{dialect: u.Dialect}
	l := x.next()
	l.Policy, l.PartitionKey, l.Unit = u.Name, "", parse.Requests
	l.Quota, l.Remaining = u.Quota, u.Remaining
	l.Window, l.Reset = seconds(u.Window), x.reset(&from, &u.Reset)
	x.addDocumented(l, 0)
	x.add(&from, l)
	return true
}

// readAny reads any response.
func (r *Reader) readAny(resp *http.Response, found []parse.Found, into *Reading) {
	var f parse.Fields
	f.Read(found)
	x := reader{Reader: r, Reading: into, resp: resp, fields: &f}
	x.setClock(f.Age, f.FromCache)
	x.read()
}

// A reader is the state of one call of Read. Throttled is true while limits
// are read if the request was refused whatever they say.
type reader struct {
	*Reader
	*Reading
	resp    *http.Response
	fields  *parse.Fields
	profile Profile // of the host
	isRead  bool    // it has been looked for
	clock   clock
	told    int // number of Limits that earlier families told
	most    int // number of Limits that there may be, but for a few
}

func (r *reader) read() {
	f, status := r.fields, r.resp.StatusCode
	cache := cachedBy(f)
	r.Cached = cache != ""
	r.malformed(f.Problems)
	r.wait(f)
	r.Throttled = throttled(status, r.RetryAfter, nil) || r.refusedBy(status)
	switch {
	case !r.Cached:
		r.limits()
	case tells(f):
		r.problem(cache, Cached)
	}
	if status >= http.StatusBadRequest {
		r.Throttled = r.Throttled || throttled(status, r.RetryAfter, r.Limits)
		r.refusal(status)
	}
}

// limits reads the families in their order of precedence.
func (r *reader) limits() {
	f := r.fields
	items := f.RateLimit.All()
	if len(items) > MaxLimits {
		r.problem("RateLimit", Crowded)
		items = items[:MaxLimits]
	}
	r.most = max(len(items), min(len(f.Policy.All()), MaxLimits), len(f.Named))
	from := source{dialect: limits.DialectPolicy}
	shared := policies{source: &from, all: f.Policy.All()}
	r.crop(&shared)

	r.structured(items, &shared)
	r.counts(limits.DialectTrio, &f.Trio, &shared)
	r.named(f.Named)
	r.counts(limits.DialectXRateLimit, &f.XRateLimit, &shared)
	r.counts(limits.DialectXDashed, &f.XDashed, &shared)
	r.alone(&shared)
}

func tells(f *parse.Fields) bool {
	return len(f.RateLimit.All()) > 0 || len(f.Policy.All()) > 0 || len(f.Named) > 0 ||
		f.Trio.Present || f.XRateLimit.Present || f.XDashed.Present
}
