package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// ReadTrailer returns what the trailer section of resp reports about limits, as Read does for the header.
// Call it when the body has been read to its end, as resp.Trailer is complete only then. since is the time
// from the receipt of the header to that of the trailer. All times in the Reading count from the trailer.
//
// Drafts polli-04 to ietf-05 let a server send the RateLimit fields in a trailer section
// (draft-polli-ratelimit-headers-05 §3). From ietf-06 on they do not say so, and then a field is for the
// header alone (RFC 9110 §6.5.1). Servers of the older drafts do it still, as gateways for gRPC do. A
// stream knows its cost only then.
//
// Only limits are read. Retry-After and its relatives are control data of the response, which no definition allows in a
// trailer; they are ignored and listed as Problems. Age, X-From-Cache and Date are taken from the header. So RetryAfter
// is Unknown, and Throttled and Unproven are false: a response that has been delivered is not a refusal any more.
//
// The result is never nil. It is valid until it is passed to Free.
func (r *Reader) ReadTrailer(resp *http.Response, since time.Duration) *Reading {
	if resp == nil {
		return &r.empty
	}
	var room [parse.UsualFields]parse.Found
	profile := findProfile(resp, r.own)
	found := parse.Find(profile.readable(resp.Trailer), room[:0])
	if len(found) == 0 && (len(resp.Trailer) == 0 || len(profile.Fields) == 0) {
		return &r.empty
	}
	reading := r.free.Get().(*Reading) //nolint:forcetypeassert // free has nothing else
	reading.RetryAfter = Unknown
	var f, header parse.Fields
	f.Read(found)
	header.Read(find(resp, profile, room[:0]))
	f.Age, f.FromCache = header.Age, header.FromCache
	x := reader{Reader: r, Reading: reading, resp: resp, profile: profile, fields: &f}
	x.setClock(f.Age+max(since, 0), f.FromCache)
	x.malformed(f.Problems)
	x.refuseWaits(&f)
	x.readLimits(resp.Trailer)
	x.Throttled = false
	return reading
}

// refuseWaits lists the waits in a trailer as Problems.
func (r *reader) refuseWaits(f *parse.Fields) {
	refuse := func(form parse.Form, field string) {
		if form != parse.Absent {
			r.problem(field, InTrailer)
		}
	}
	refuse(f.RetryAfter.Form, "Retry-After")
	refuse(f.RetryAfterFine.Form, f.FineName)
	refuse(f.RetryAfterAlias.Form, f.AliasName)
	for i := range f.NamedWaits {
		refuse(f.NamedWaits[i].Wait.Form, f.NamedWaits[i].Field)
	}
}
