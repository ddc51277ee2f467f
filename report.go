package headway

import (
	"context"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// Reported is what the caller has read about limits by itself: from a response (see [Transport.Limits]), or later (see
// [Report]). The zero value reports nothing.
//
// Its numbers are believed as far as a server's are, see [validate.Bounds]. What cannot be is ignored or clamped, and
// Trace.Ignored and the Logger have it with the field "Transport.Limits".
type Reported struct {
	// Limits are added to the limits of the header fields. Equal ones are merged. Give each limit
	// the same Policy in every response: that name is how it is found again. Limits in another
	// unit than requests are named after their unit if Policy is "".
	//
	// limits.Unknown, which is -1, stands for a number that is not known. So does any negative
	// one, and a Window or Reset of 0. A Remaining of 0 means that the quota is used up. Reset
	// counts from now; [validate.Until] makes one of a point in time. Dialect has no effect, and
	// Cost none in Report, for which there are Costs. Only the first 64 limits count.
	Limits []limits.Reported

	// RetryAfter is how long the server asks to wait. It has an effect only if the request was
	// refused, as with the field Retry-After; the longer one of both counts. 0 and less mean that
	// there is none.
	RetryAfter time.Duration

	// Throttled means that the response refuses the request because of a limit, whatever its
	// status. It has the effect of a 429: the partition is held, and the request is sent again if
	// its body can be. After a status of 500 or more the request must also be idempotent. false
	// takes nothing back that status and fields say.
	Throttled bool

	// Costs are the units that the request has really used. They replace what was reserved for it
	// (see WithCost), until a response tells what remains. If the remaining quota in a unit was
	// reported with this response or since, that number settles the cost, and Costs does not count.
	// Negative costs, units that no limit counts, and parse.ConcurrentRequests are ignored.
	Costs map[parse.Unit]int64
}

// reading returns r as package validate takes it.
func (r *Reported) reading() *validate.Reading {
	return &validate.Reading{Limits: r.Limits, RetryAfter: r.RetryAfter, Throttled: r.Throttled}
}

// costs returns r.Costs by the units' names as limits have them.
func (r *Reported) costs() map[parse.Unit]int64 {
	var costs map[parse.Unit]int64
	for unit, n := range r.Costs {
		if costs == nil {
			costs = make(map[parse.Unit]int64, len(r.Costs))
		}
		costs[limits.ShortName(unit)] = n
	}
	return costs
}

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

func (r *receipt) report(ctx context.Context, own *Reported) bool {
	t, p := r.find()
	if t == nil {
		return false
	}
	reading := t.core.reader.Read(nil)
	reading = t.core.reader.Add(reading, nil, own.reading())
	for i := range reading.Limits {
		reading.Limits[i].Cost = 0 // own.Costs has them
	}
	defer t.core.reader.Free(reading)
	answer := pacer.Answer{Limits: reading.Limits, RetryAfter: reading.RetryAfter, Refused: reading.Throttled, Indirect: true}
	now, verdict, ok := r.apply(p, &answer, own.costs())
	if ok && !t.core.reporters.isOff {
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
