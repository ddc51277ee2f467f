package headway

import (
	"context"
	"sync"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
)

// WithReport returns a context for one request, about which [Report] can tell more once its response has come. If several
// requests are made in the context, Report is about the one whose response came last. ctx is not changed.
func WithReport(ctx context.Context) context.Context {
	o := optionsOf(ctx).clone()
	o.receipt = new(receipt)
	return context.WithValue(ctx, optionsKey{}, o)
}

// Report tells the Transport what the caller has learned about limits after a response came: at the end of a stream, or
// from a call that asks for the usage. ctx is the request's context, made by [WithReport], or one that was derived from it,
// such as that of Response.Request. The report counts for the partition of that request.
//
// The limits count from now on, like those of a response that comes now. Responses to requests that were sent before do
// not change them. If r.Throttled is true the partition is held, but nothing is sent again: the caller has the response.
// While the whole partition is held, nothing but a longer hold is learned. r.Costs are the costs in all, so a later report
// replaces an earlier one. Nothing is given back of a window that has ended meanwhile.
//
// Report returns false, and does nothing, if ctx is not from WithReport, or nil. It also does if no response has come yet,
// if no Transport paced the request, or if the Transport has forgotten the partition meanwhile. More than one report, or a
// late one, does no harm. Report may be called concurrently, and does not wait. Trace and Logger have what it reports with
// the status 0.
func Report(ctx context.Context, r Reported) bool {
	if ctx == nil {
		return false
	}
	o := optionsOf(ctx)
	if o == nil || o.receipt == nil {
		return false
	}
	return o.receipt.report(ctx, &r)
}

// A receipt is where a Transport leaves what Report needs. It is in the request's context.
type receipt struct {
	mu        sync.Mutex
	transport *Transport // nil: there is no response yet
	request   schedule.Receipt
}

func (r *receipt) set(t *Transport, request *schedule.Receipt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.transport, r.request = t, *request
}

func (r *receipt) report(ctx context.Context, told *Reported) bool {
	t, p := r.find()
	if t == nil {
		return false
	}
	reading := t.core.reader.Read(nil)
	reading = t.core.reader.Add(reading, nil, told.reading())
	defer t.core.reader.Free(reading)
	answer := pacer.Answer{Limits: reading.Limits, RetryAfter: reading.RetryAfter, Refused: reading.Throttled, Indirect: true}
	now, verdict, ok := r.apply(p, &answer, told.Costs)
	if ok && t.core.reporters.trace != nil {
		one := t.core.reporters.get(ctx, now)
		defer t.core.reporters.put(one)
		one.answered(p, now, 0, reading, nil, verdict)
	}
	return ok
}

func (r *receipt) find() (*Transport, *schedule.Partition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.transport, r.request.Partition()
}

// apply applies a report about a request in partition p. Another response may have come meanwhile, in another partition.
func (r *receipt) apply(p *schedule.Partition, a *pacer.Answer, costs map[parse.Unit]int64) (now pacer.Instant, verdict *schedule.Verdict, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.request.Partition() != p {
		return 0, nil, false
	}
	return r.request.Report(a, costs)
}
