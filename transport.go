package headway

import (
	"log/slog"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/chance"
	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/internal/snapshot"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// The values that a zero field of Transport stands for.
const (
	DefaultBurst      = pacer.DefaultBurst
	DefaultJitter     = pacer.DefaultJitter
	DefaultMaxWait    = 65 * time.Minute // an hourly reset, and some
	DefaultMaxRetries = 3
)

// A Transport is an [http.RoundTripper] that keeps requests just under every
// limit that a server advertises: it learns the limits from the responses,
// spreads requests over the quota that is left, and sends throttled ones again.
//
// The zero value is ready to use. A Transport must be reused rather than made
// for each request, because what it learned is in it. It is safe for
// concurrent use; its fields must not be changed, nor may it be copied, after
// first use.
//
// It stands below [http.Client], whose Timeout includes the time a request
// waits: a request that cannot start in time is refused at once (see
// [LimitError]). It stands above whatever makes connections. A layer that
// retries by itself belongs above it and should leave throttled responses alone;
// see [CheckRetry].
//
// Where one Transport stands above another, only the upper one paces, holds and resends a request
// that passes both; the lower one hands it on, but for its Ceiling. The upper one looks for others
// below it at its first use, through the method Unwrap() http.RoundTripper of the layers between
// them, and marks the context of what it sends. Requests that come to the lower one directly are
// paced there, and the two learn nothing of each other. A shadow leaves those below it alone. Through
// a layer without Unwrap a Transport is not found; then both pace, and a request that stays
// throttled is sent up to (MaxRetries+1)² times.
//
// A request waits in the queue of its partition: the higher [WithPriority] first,
// and among equals first come, first served, but that those which use nothing of the
// limit that others wait for go before them. Its context ends the wait. No goroutine
// belongs to the Transport; a timer exists for each partition in which requests
// wait, and one for idle partitions to be forgotten, which keeps no Transport alive.
//
// Up to 131,072 partitions are kept, and about 256 MiB of what they know. When there are more, the
// one that has been idle longest goes; of the 64 that seem longest idle, one without a hold goes
// first. None goes in which requests wait or are in flight. Where none can go, what a new one
// learns is forgotten with its request. A partition that has been idle for five minutes goes as soon
// as nothing it knows is of use.
type Transport struct {
	// Base sends the requests. nil means http.DefaultTransport.
	Base http.RoundTripper

	// Partition names the partition of a request: what has its own limits on the
	// server and is kept apart here. Requests with equal names share one pace, one
	// queue and one hold. "" sends the request straight to Base: it is not paced,
	// held or sent again. The names show up in errors, logs and State. nil means
	// DefaultPartition. It is called once for each request, on the caller's
	// goroutine, and must not change the request.
	Partition func(*http.Request) string

	// Cost says how many units of a quota in that unit a request uses: of
	// parse.Requests, parse.ContentBytes, or a unit that a server of the request's
	// partition has named, such as "tokens". 0: none. It may be an estimate, see
	// WithCost, which comes before it. nil or a negative answer means 1 request; the
	// length of its content, for content-bytes; and of other units as many as requests
	// have been using, judging by how the server's remaining quota falls. Of
	// parse.ConcurrentRequests it is not asked: each request takes one.
	//
	// It is called on the caller's goroutine, without any lock held, once or more for
	// each unit, and must not change the request or read its Body.
	Cost func(*http.Request, parse.Unit) int64

	// PartitionKey says by which partition key (draft-ietf-httpapi-ratelimit-headers-10
	// §4.1.4) the server will count a request, where that can be known before it is
	// sent: the bytes that the pk parameter encodes. So a request waits only
	// for the quota that it uses, and one for a key that was not seen before goes at
	// the policy's even pace. It is believed of policies whose responses have told of
	// the same key, and ignored of all others. nil, or an empty answer, means that it is
	// not known: then a request is thought to use the quota of the partition key that
	// the last response to its route told. Of more than 24 limits in a partition those
	// told of longest ago are forgotten; Partition can keep more users apart.
	//
	// It is called once for each request, on the caller's goroutine, without any lock
	// held, and must not change the request or read its Body.
	PartitionKey func(*http.Request) []byte

	// Pacing is how requests are spread over what limits allow: PaceEvenly (the zero
	// value) or PaceMeasured.
	Pacing Pacing

	// Burst is the share of a quota that a client may send unspaced after it
	// was idle, at most: the pace falls as a window is used, so that of a quota of
	// 1000 a Burst of 0.5 lets some 400 go at once. 0 means DefaultBurst, 0.1, and at
	// least 10 requests or a quarter of the quota, whichever is less; negative means
	// none: strictly even, once the first response has told the limit.
	Burst float64

	// Jitter is the share of an interval by which a request may start earlier
	// or later than even spacing has it, so that clients do not march in step.
	// 0 means DefaultJitter, 0.1; negative means none; more than 1 is 1.
	Jitter float64

	// MaxWait is the longest that a request is kept from the wire, counted from
	// the call of RoundTrip, with all its waits for a resend. A request that would
	// have to wait longer is refused at once; a wait is never shortened. 0 means
	// DefaultMaxWait, 65 minutes; negative means that the context alone bounds it.
	MaxWait time.Duration

	// MaxRetries is how often one request is sent again after it was throttled.
	// 0 means DefaultMaxRetries, 3; negative means never.
	MaxRetries int

	// Ceiling is the caller's own limit over everything that is sent, in all
	// partitions and resends included. Each request takes one token, once its
	// partition lets it go. Requests that are not paced take none. nil means no limit.
	Ceiling *rate.Limiter

	// Bounds says how far a server is believed. Its zero value has generous
	// defaults.
	Bounds validate.Bounds

	// Profiles tell of services what their responses leave out, such as the unit of a
	// number or a status that refuses because of a limit. They come before the built-in
	// ones, and the first that is for a host counts alone; see [validate.Profile]. Nil:
	// those alone. They must not be changed while the Transport is used.
	Profiles []validate.Profile

	// Refusal is how a request is refused that may not wait as long as it would
	// have to: with an error (the zero value) or with a response.
	Refusal Refusal

	// Shadow makes the Transport decide and report, in State and to Logger, but
	// delay, refuse and resend nothing. It also leaves the Ceiling alone. What
	// it reports is of a client that is not paced, and so refused more often: each
	// request would be delayed by as much as the client's own rate, measured as for
	// PaceMeasured, is above what a limit allows.
	Shadow bool

	// SnapshotKey is the secret that snapshots are made and read with, so that a
	// program that ends can go on where it was when it runs again: see
	// [Transport.Snapshot]. It has at least 16 bytes, is the same in each run, and
	// known to nobody who is not to know whom the program talks to: a random file of
	// the user's, or a token that the program has anyway. nil means that there are no
	// snapshots, because nothing else by which users are told apart outlives a process.
	SnapshotKey []byte

	// Fleet shares quotas with other processes that use the same credentials, so that
	// each has its exact part of them instead of an estimate: see package
	// github.com/headway-go/headway/fleet. It is never asked on a request's way. nil
	// means that the Transport goes by what it sees of others' use. With Shadow it is told
	// what is used, and nothing waits for a part. Only that package makes one.
	Fleet share.Fleet

	// Trace has hooks that are told what the Transport decides. nil means none.
	Trace *Trace

	// Logger receives what the Transport decides: refusals at level Warn, holds of
	// a second or more at Info, and there, once for each partition, what is wrong with
	// fields of its responses; everything else at Debug. It is called on the
	// caller's goroutine, or a timer's if an idle partition is forgotten, without any lock
	// held. nil means silence.
	Logger *slog.Logger

	once sync.Once
	core core // set by start
}

// A core is what a Transport makes of its fields at its first use, and what it learns.
type core struct {
	settings   schedule.Settings
	reader     *validate.Reader
	unshared   pacer.Config // of partitions that come to be while the Fleet's store is lost
	memory     atomic.Int64
	partitions *registry.Registry
	shelf      *snapshot.Shelf // nil: no snapshots
	member     *member         // nil: no Fleet
	bodies     replay.Budget
	tellers    tellers
	below      []http.RoundTripper // the other Transports below this one
	isLoop     bool                // the Transport is below itself
}

// start makes the core. Parts that outlive the Transport, as timers do, must not keep it alive.
func (t *Transport) start() {
	c := &t.core
	c.settings = schedule.Settings{
		Clock: clock.New(), MaxWait: t.maxWait(), Shadow: t.Shadow, Memory: &c.memory,
		Pacer: pacer.Config{
			Burst: t.Burst, Jitter: t.Jitter, MaxRate: t.maxRate(), Patience: t.patience(), Chance: chance.For(t),
			// Even slots would run ahead of who does not keep to them, as in a shadow.
			Measured: t.Pacing == PaceMeasured || t.Shadow,
			Shared:   t.Fleet != nil && !t.Shadow,
		},
	}
	c.reader = validate.NewReader(t.Bounds, clock.Wall, t.Profiles...)
	c.settings.Ceiling = schedule.NewCeiling(t.Ceiling, &c.settings.Clock)
	c.shelf = snapshot.NewShelf(t.SnapshotKey, &c.settings)
	c.tellers.log, c.tellers.clock = newLog(t.Logger, t.Shadow, t.Ceiling), &c.settings.Clock
	c.tellers.trace = JoinTraces(t.Trace, c.tellers.log.hooks())
	c.partitions = registry.New(registry.Options{
		Clock: &c.settings.Clock, Most: registry.MaxPartitions, MostMemory: registry.MaxMemory, Memory: &c.memory,
		Make: t.newPartition, Made: t.adopt, Gone: t.evicted,
	})
	c.unshared = c.settings.Pacer
	c.unshared.Shared = false
	c.below, c.isLoop = t.findBelow() // calls others, as Join does: what panics there leaves nothing half made
	if c.member = newMember(t); c.member != nil {
		c.member.wants = t.Fleet.Join(c.member) // it may ask for what is used at once
	}
}

// newPartition makes a partition. While the Fleet's store is lost it does not wait for a part.
func (t *Transport) newPartition(k identity.Key) *schedule.Partition {
	config := &t.core.settings.Pacer
	if t.core.member.isStoreLost() {
		config = &t.core.unshared
	}
	return schedule.New(&t.core.settings, config, k)
}

// adopt gives a new partition its names, and what was restored of it.
func (t *Transport) adopt(p *schedule.Partition, req *http.Request) {
	t.core.shelf.Adopt(p, req)
	t.core.member.adopt(p, req)
}

// evicted drops the name of a partition that is forgotten, and tells of it.
func (t *Transport) evicted(e registry.Eviction) {
	t.core.shelf.Forget(e.Partition)
	t.core.tellers.evicted(e)
}

// CloseIdleConnections passes the call on to Base, if it has such a method.
// What was learned about limits stays.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

func (t *Transport) maxWait() time.Duration {
	if t.MaxWait == 0 {
		return DefaultMaxWait
	}
	return t.MaxWait
}

func (t *Transport) maxRetries() int {
	if t.MaxRetries == 0 {
		return DefaultMaxRetries
	}
	return t.MaxRetries
}

// maxRate is Bounds.MaxRate in the pacer's terms.
func (t *Transport) maxRate() float64 {
	rate := t.Bounds.OrDefaults().MaxRate
	if math.IsInf(rate, 1) {
		return -1
	}
	return rate
}

// patience is how long a reset may be before it is looked at a second time: longer than MaxWait, and than an hourly
// quota's, which a program that waits for seconds meets every day. Without MaxWait no wait is too long.
func (t *Transport) patience() time.Duration {
	if t.maxWait() < 0 {
		return 0
	}
	return max(t.maxWait(), DefaultMaxWait)
}
