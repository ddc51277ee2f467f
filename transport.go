package headway

import (
	"cmp"
	"log/slog"
	"net/http"
	"sync"
	"time"
	"weak"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/chance"
	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/internal/snapshot"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// The values that a zero field of [Transport] stands for.
const (
	DefaultBurst         = pacer.DefaultBurst
	DefaultJitter        = pacer.DefaultJitter
	DefaultMaxWait       = 65 * time.Minute // longer than the wait for an hourly reset
	DefaultMaxRetries    = 3
	DefaultMaxPartitions = registry.MaxPartitions
)

// A Transport is an [http.RoundTripper] that keeps requests just under every limit that a server advertises. It learns the
// limits from responses, spreads requests over the remaining quota, and resends throttled requests.
//
// The zero value is ready to use. Make one Transport and reuse it: what it learns is in it. It is safe for concurrent use.
// After first use its fields must not be changed, nor may it be copied.
//
// # Its place among layers
//
// A Transport goes below [http.Client], whose Timeout includes the time that a request waits. It goes above the layers that
// make connections or set header fields, which are its Base. A layer that sets credentials goes above it, see
// [DefaultPartition]. A layer that retries goes above it too, and should leave throttled responses alone, see [CheckRetry]:
// below, it would ask the server again before the Transport knows of the refusal.
//
// If one Transport stands above another, only the upper one paces, holds and resends the requests that pass both. The lower
// one passes them on and applies only its Ceiling. It still paces requests that reach it directly. The upper one finds it
// at its first use if it is Base, or if Base has a method Unwrap() http.RoundTripper that returns it. One that is further
// down is not found: then both pace, and a request that stays throttled is sent up to (MaxRetries+1)² times. A Transport
// with Shadow leaves the Transports below it alone.
//
// # Waiting
//
// A request waits in the queue of its partition. Requests with a higher [WithPriority] go first; requests of equal priority
// go in order of arrival. A request that uses nothing of the limit that others wait for goes before them.
//
// A Transport has no lasting goroutines, only timers: one for each partition in which requests wait, one for each request
// that waits for the Ceiling, and two for the Logger and for idle partitions. They do not keep the Transport alive.
//
// # Memory
//
// A Transport keeps up to MaxPartitions partitions. Beyond that number it forgets the least recently used one, but none in
// which requests wait or are in flight, or that is held. If no partition can be forgotten, what a new one learns is lost
// with its request. A partition that has been idle for five minutes is forgotten as soon as nothing it knows is of use.
type Transport struct {
	// Base sends the requests. nil means http.DefaultTransport.
	Base http.RoundTripper

	// Partition returns the name of a request's partition. Requests with equal names share one pace, one queue and one
	// hold, so a partition is a group that the server limits together. "" means that the request is not paced, held or
	// resent: it goes straight to Base. nil means DefaultPartition. The names appear in errors, logs and State. The
	// function is called once for each request, on the caller's goroutine, and must not change the request.
	Partition func(*http.Request) string

	// Cost returns how many units of a quota a request uses. The unit is limits.Requests, limits.ContentBytes, or one that
	// a server of the request's partition has named, such as "tokens". 0 means none. The result may be an estimate.
	// WithCost overrides it.
	//
	// If Cost is nil or returns a negative number, a request costs 1 request and the length of its content in
	// content-bytes. Its cost in any other unit is learned: it is what requests have cost so far, judging by how the
	// server's remaining quota falls. Cost is not called for limits.ConcurrentRequests, of which each request takes one.
	//
	// Cost is called on the caller's goroutine, without any lock held, once or more for each unit. It must not change the
	// request or read its Body.
	Cost func(*http.Request, limits.Unit) int64

	// Pacing says how requests are spread over what limits allow: PaceEvenly (the zero value) or PaceMeasured.
	Pacing Pacing

	// Burst is the largest share of a quota that a client may send at once after it was idle. The pace falls as a window is
	// used: with a quota of 1000, a Burst of 0.5 lets some 400 requests go at once. 0 means DefaultBurst, 0.1, and at least
	// 10 requests or a quarter of the quota, whichever is less. More than 1 counts as 1. A negative Burst means none:
	// requests are strictly even once the first response has reported the limit.
	Burst float64

	// Jitter is the share of an interval by which a request may start earlier or later than even spacing would have it, so
	// that clients do not send in step. 0 means DefaultJitter, 0.1. A negative Jitter means none. More than 1 counts as 1.
	Jitter float64

	// MaxWait is the longest that a request may wait in all, from the call of RoundTrip, including its waits to be resent.
	// A request that would wait longer is refused at once. It is never sent earlier to fit. 0 means DefaultMaxWait, 65
	// minutes. A negative MaxWait means that only the request's context bounds the wait. WithMaxWait overrides it.
	MaxWait time.Duration

	// MaxRetries is how often one request is resent after it was throttled. 0 means DefaultMaxRetries, 3. A negative
	// MaxRetries means never.
	MaxRetries int

	// MaxPartitions is how many partitions are kept at most; beyond that the least recently used one is forgotten, see
	// Memory. 0 means DefaultMaxPartitions, 10,000. A negative MaxPartitions means no bound, for a program whose partitions
	// nobody else can choose.
	MaxPartitions int

	// Ceiling is the caller's own limit over everything that this Transport sends, in all partitions and including resends.
	// Each request takes one token, once its partition lets it go. Priorities do not count there: the tokens go to requests
	// in the order in which their partitions let them go. Requests that are not paced take none. Its SetLimit may be called
	// at any time: requests that wait see it within a second. nil means no limit.
	Ceiling *rate.Limiter

	// Bounds limits what a server may make this Transport do, such as the longest reset that is accepted. Its zero value
	// stands for generous defaults.
	Bounds validate.Bounds

	// Profiles say about services what their responses leave out, such as the unit of a number or a status that refuses
	// because of a limit. They are searched before the built-in profiles. Only the first one that matches a host counts;
	// see [validate.Profile]. nil means only the built-in profiles. They must not be changed while the Transport is used.
	Profiles []validate.Profile

	// Refusal says how a request is refused whose wait would be too long: with an error (RefuseWithError, the zero value)
	// or with a response (RefuseWithResponse).
	Refusal Refusal

	// Shadow makes the Transport only report what it would do, in State, Trace and Logger. It delays, refuses and resends
	// nothing, and takes no token from the Ceiling. Since the client is not paced, it is throttled more often than it would
	// be. A reported wait says by how much the client exceeds what a limit allows, measured as for PaceMeasured.
	Shadow bool

	// SnapshotKey is the secret that seals and opens snapshots, see [Transport.Snapshot]. It has at least 16 bytes and is
	// the same in each run. Whoever has it can see from a snapshot which servers the program uses. Take a random file of
	// the user's, or a token that the program has anyway. nil means no snapshots: without a key no name of a partition
	// outlives the process.
	SnapshotKey []byte

	// Limits reads from a response what its header fields do not say, because the API has a form of its own: limits in a
	// JSON body, a percentage, a status 200 that is a refusal. Limits, RetryAfter and Verdict of the result are added to
	// what the fields say, as [validate.Reader.Add] describes; a zero Reading adds nothing. Give each limit the same Policy
	// in every response. The numbers are believed as far as a server's are. What is not is in the Problems of a
	// ReadingInfo, and in the log, with the field "Transport.Limits". A nil Limits means that only the fields count.
	//
	// The function is called once for each response to a request that is paced, on the goroutine that called RoundTrip,
	// without any lock held. It gets a copy of the response. It may read the Body: up to 1 MiB, for 250 ms in all, and
	// until the request's context ends. Then the Body returns io.ErrUnexpectedEOF, and the best answer is a zero Reading.
	// So it should look at the Content-Type first, and leave streams and downloads alone. A body with announced trailers
	// cannot be read. The caller of RoundTrip gets every byte. The function must not change the response, nor keep it;
	// Close does nothing.
	Limits func(*http.Response) validate.Reading

	// Fleet shares quotas with other processes that use the same credentials. Each process then has an exact part of each
	// quota instead of an estimate. Package github.com/headway-go/headway/fleet makes a Fleet; nothing else does. No
	// request waits for the Fleet's store. nil means that the Transport estimates the use of other clients. With Shadow the
	// Fleet learns what this process uses, and nothing waits for a part.
	Fleet share.Fleet

	// Trace has hooks that are called as the Transport decides. nil means none.
	Trace *Trace

	// Logger receives what the Transport decides. nil means no log.
	//
	// Level Warn has requests that are not sent because their wait would be too long: of each partition at most one a
	// second, and how many more there were since the one before. It has the first request that a server refuses for good,
	// and the first after another was served. It also has what is wrong with a fleet, such as the loss of its store, and
	// again every ten minutes while that lasts.
	//
	// Level Info has holds of a second or more, and waits of more than a second, whatever the cause. A partition has one
	// line within two seconds of their beginning, and one a minute while such waits last. Of a wait for a place in flight
	// that lasts a minute it says what is likely: that responses have not been closed. The name of the partition is "" for
	// a wait for the Ceiling of a request that a Transport above paces. Level Info also has what is wrong with header
	// fields of responses, once for each partition, and that a fleet's store is back. Level Debug has everything else.
	//
	// The Logger is called without any lock held, on the caller's goroutine; for waits, and when an idle partition is
	// forgotten, on a timer's goroutine.
	Logger *slog.Logger

	once sync.Once
	core core // set by start
}

// A core is the state of a Transport, made from its fields at first use.
type core struct {
	settings   gate.Settings
	reader     *validate.Reader
	partitions *registry.Registry
	shelf      snapshot.Shelf
	member     *share.Member // nil: no Fleet
	bodies     replay.Budget
	reporters  reporters
	below      *Transport // another one below this one, which passes on what this one paces; nil: none
}

// start makes the core. Timers must not keep the Transport alive: that of idle partitions has a weak pointer, and that of a
// partition runs only while requests wait.
func (t *Transport) start() {
	c := &t.core
	c.settings = gate.Settings{
		Clock: clock.New(), Shadow: t.Shadow, MaxHold: t.Bounds.OrDefaults().MaxReset,
		Pacer: pacer.Config{
			Burst: t.Burst, Jitter: t.Jitter, MaxRate: t.Bounds.OrDefaults().MaxRate, Chance: chance.For(t),
			// In a shadow nobody keeps to even slots, so these would run ever further ahead of the requests.
			Measured: t.Pacing == PaceMeasured || t.Shadow,
		},
	}
	c.reader = validate.NewReader(t.Bounds, clock.Wall, t.Profiles...)
	c.settings.Ceiling = gate.NewCeiling(t.Ceiling, &c.settings.Clock)
	c.shelf = snapshot.Shelf{Key: t.SnapshotKey, Settings: &c.settings, MaxReset: t.Bounds.OrDefaults().MaxReset}
	c.reporters = newReporters(t.Trace, t.Logger, &c.settings.Clock, t.Shadow)
	c.partitions = registry.New(registry.Options{
		Clock: &c.settings.Clock, Most: cmp.Or(t.MaxPartitions, DefaultMaxPartitions),
		Make: t.newPartition, Made: t.adopt, Gone: c.reporters.evicted,
	})
	below := t.findBelow() // calls foreign code, as Join does; if that panics nothing is half made
	if below == t || !t.Shadow {
		c.below = below
	}
	self := weak.Make(t)
	c.member = share.Join(t.Fleet, c.partitions, func(err error, isLost bool) {
		if t := self.Value(); t != nil {
			t.core.reporters.fleet(FleetInfo{Err: err, Lost: isLost && err != nil})
		}
	})
}

func (t *Transport) newPartition(k identity.Key) *gate.Partition {
	return gate.New(&t.core.settings, k)
}

// adopt gives a new partition its names, and its state from a snapshot.
func (t *Transport) adopt(p *gate.Partition, req *http.Request) {
	t.core.shelf.Adopt(p, req)
	t.core.member.Adopt(p, req)
}

// CloseIdleConnections calls the method of that name of Base, if Base has one. What was learned about limits stays.
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

func (t *Transport) maxWait() time.Duration { return cmp.Or(t.MaxWait, DefaultMaxWait) }
