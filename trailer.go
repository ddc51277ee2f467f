package headway

import (
	"context"
	"net/http"
	"slices"

	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// mayHaveTrailer reports whether a trailer section may follow the body of a response, announced or not. It may in HTTP/1.1
// if the body is chunked (RFC 9112 §7.1.2), and with any body from HTTP/2 on (RFC 9113 §8.1, RFC 9114 §4.1).
func mayHaveTrailer(req *http.Request, resp *http.Response) bool {
	return (resp.Trailer != nil || resp.ProtoMajor >= 2 || slices.Contains(resp.TransferEncoding, "chunked")) &&
		replay.BodyFollows(req, resp)
}

// A tail is what a call leaves behind to read the trailer of its response.
type tail struct {
	transport *Transport
	ctx       context.Context //nolint:containedctx // the request's; the hooks need it
	resp      *http.Response  // the caller's; its Trailer is complete when the body has ended
	received  pacer.Instant   // when the header was
	visit     schedule.Trailer
}

// watchTrailer returns a watchedBody that reads the trailer of a response at its end.
func (c *call) watchTrailer(resp *http.Response) *watchedBody {
	made := &struct { // one allocation for both
		body watchedBody
		tail tail
	}{tail: tail{
		transport: c.transport, ctx: c.req.Context(), resp: resp,
		received: c.transport.core.settings.Clock.Now(), visit: c.visit.Trailer(),
	}}
	made.body.tail = &made.tail
	return &made.body
}

// read applies the trailer to the partition. The response has been delivered, so it is no refusal any more.
func (t *tail) read() {
	if len(t.resp.Trailer) == 0 && !t.visit.IsPostponed() {
		return
	}
	c := &t.transport.core
	now := c.settings.Clock.Now()
	reading := c.reader.ReadTrailer(t.resp, now.Sub(t.received))
	defer c.reader.Free(reading)
	if len(reading.Limits) > 0 || t.visit.IsPostponed() {
		t.visit.Answered(now, &pacer.Answer{Limits: reading.Limits, RetryAfter: pacer.Unknown})
	}
	if len(reading.Limits)+len(reading.Problems) > 0 && c.reporters.trace != nil {
		r := c.reporters.get(t.ctx, now)
		defer c.reporters.put(r)
		r.read(t.visit.Partition(), ReadingInfo{Status: t.resp.StatusCode, Trailer: true}, reading)
	}
}
