package observing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// quotaExceeded is the body of a refusal (RFC 9457) that names the policies that it violates.
const quotaExceeded = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["daily","hourly"]}`

func TestTraceOfAThrottledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		transport, d := traced(kit.InTurn(
			func(req *http.Request) *http.Response {
				resp := kit.Respond(req, 429, "Retry-After", "10", "Content-Type", "application/problem+json",
					"RateLimit", `"minute";r=0;t=9`, "RateLimit-Policy", `"minute";q=60;w=60`, "X-RateLimit-Limit", "nonsense")
				resp.Body = kit.NewTrackedBody(quotaExceeded)
				return resp
			}, kit.Status(200),
		))
		kit.Prime(t, transport)
		require.Equal(t, []string{"sent", "reading", "throttled", "waiting: hold", "resent"}, d.entries)

		require.Equal(t, headway.SentInfo{Partition: kit.Origin}, d.sent[0])
		require.Equal(t, "X-RateLimit-Limit", d.readings[0].Reading.Problems[0].Field)

		require.Equal(t, 429, d.readings[0].Status)
		require.Equal(t, 10*time.Second, d.readings[0].Reading.RetryAfter)
		require.True(t, d.readings[0].Reading.Verdict.IsRefusal())
		require.Equal(t, "minute", d.readings[0].Reading.Limits[0].Policy)

		throttled := d.throttled[0]
		require.Equal(t, 429, throttled.Status)
		require.Equal(t, []string{"daily", "hourly"}, throttled.Policies)
		require.True(t, throttled.Resend)
		require.GreaterOrEqual(t, throttled.Hold, 10*time.Second)
		require.Equal(t, start.Add(throttled.Hold), throttled.HeldUntil)

		wait := d.waits[0]
		require.True(t, wait.Resend)
		require.Equal(t, 1, wait.Queue)
		require.Equal(t, start.Add(wait.Wait), wait.Until)
		require.GreaterOrEqual(t, wait.Wait, throttled.Hold)

		require.Equal(t, 1, d.sent[1].Resends)
		require.Equal(t, wait.Wait, d.sent[1].Held)
		require.Equal(t, wait.Wait, d.sent[1].Waited)
	})
}

func TestTraceOfRefusals(t *testing.T) {
	for _, row := range []struct {
		name    string
		refusal headway.Refusal
	}{{"error", headway.RefuseWithError}, {"response", headway.RefuseWithResponse}} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, d := traced(kit.InTurn(kit.UsedUp()))
				transport.MaxWait, transport.Refusal = 10*time.Second, row.refusal
				kit.Prime(t, transport)
				resp, err := kit.Get(t.Context(), transport, kit.URL)
				require.Equal(t, []string{"sent", "reading", "refused"}, d.entries)
				require.ErrorIs(t, d.refused[0], headway.ErrMaxWait)
				if row.refusal == headway.RefuseWithError {
					require.ErrorIs(t, err, d.refused[0])
					return
				}
				got, ok := headway.Refused(resp)
				require.True(t, ok)
				require.Same(t, d.refused[0], got)
			})
		})
	}
}

func TestTraceOfAnAbandonedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, d := traced(kit.InTurn(kit.UsedUp()))
		kit.Prime(t, transport)
		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(reason) })
		_, err := kit.Get(ctx, transport, kit.URL)
		require.Same(t, reason, err, "the cause, as net/http returns it")
		require.Equal(t, []string{"sent", "reading", "waiting: quota", "abandoned"}, d.entries)
		require.Zero(t, transport.State()[0].Waiting)
		require.Equal(t, headway.SentInfo{Partition: kit.Origin, Held: 3 * time.Second, Waited: 3 * time.Second, Cause: headway.CauseQuota, Policy: "minute"}, d.sent[1])
	})
}

// A hold that begins while a request waits for the Ceiling makes it wait again.
func TestTraceOfARequestThatIsQueuedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, d := traced(kit.InTurn(kit.Status(200), kit.Status(429, "Retry-After", "60"), kit.Status(200)))
		transport.Ceiling = rate.NewLimiter(rate.Every(10*time.Second), 2)
		transport.MaxRetries = -1
		hook := transport.Trace.Waiting
		transport.Trace.Waiting = func(ctx context.Context, info headway.WaitingInfo) {
			state := transport.State()[0]
			require.Equal(t, 1, state.Waiting, "it waits once")
			require.GreaterOrEqual(t, state.InFlight, 0)
			hook(ctx, info)
		}
		kit.Prime(t, transport)
		var waiting sync.WaitGroup
		base := transport.Base
		transport.Base = kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			time.Sleep(900 * time.Millisecond) // before the wait looks again, a second after it began
			return base.RoundTrip(req)
		})
		for range 2 {
			waiting.Go(func() { kit.Prime(t, transport) })
			synctest.Wait()
		}
		waiting.Wait()
		require.Equal(t, []string{"sent", "sent", "waiting: ceiling", "reading", "throttled", "waiting: hold", "sent"}, d.entries)
	})
}

func TestTraceOfEvictions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const idle = 5 * time.Minute // as documented by Transport
		transport, d := traced(kit.InTurn(kit.Status(200)))
		kit.Prime(t, transport)
		time.Sleep(2 * idle)
		synctest.Wait()
		require.Equal(t, []string{"sent", "evicted"}, d.entries)
		require.Equal(t, kit.Origin, d.evicted[0].Partition)
		require.GreaterOrEqual(t, d.evicted[0].Idle, idle)
		require.False(t, d.evicted[0].Full)
	})
}

// Hooks get no secret of the request and no value of a field.
func TestTraceTellsNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{MaxRetries: -1}
		d := &diary{}
		transport.Trace = d.trace(transport)
		heldThenRefused(t, transport)
		all := fmt.Sprintf("%+v %+v %+v %+v %+v", d.waits, d.sent, d.throttled, d.refused, d.readings)
		require.Contains(t, all, kit.Origin)
		for _, secret := range []string{"hunter2", "nonsense", "private"} {
			require.NotContains(t, all, secret)
		}
		require.Equal(t, validate.Malformed, d.readings[0].Reading.Problems[0].Reason)
	})
}

type blockedKey struct{}

// A hook that blocks delays only its own request.
func TestABlockedHookKeepsNobodyElseUp(t *testing.T) {
	release := make(chan struct{})
	block := func(ctx context.Context) {
		if ctx.Value(blockedKey{}) != nil {
			<-release
		}
	}
	for hook, trace := range map[string]*headway.Trace{
		"Waiting": {Waiting: func(ctx context.Context, _ headway.WaitingInfo) { block(ctx) }},
		"Sent":    {Sent: func(ctx context.Context, _ headway.SentInfo) { block(ctx) }},
		"Reading": {Reading: func(ctx context.Context, _ headway.ReadingInfo) { block(ctx) }},
	} {
		t.Run(hook, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan struct{})
				transport := &headway.Transport{Base: kit.InTurn(kit.UsedUp(), kit.UsedUp(), kit.Status(200)), Trace: trace}
				kit.Prime(t, transport)
				var all sync.WaitGroup
				all.Go(func() {
					require.NoError(t, kit.Fetch(context.WithValue(t.Context(), blockedKey{}, true), transport, kit.URL))
				})
				time.Sleep(2 * time.Minute)
				for range 3 {
					kit.Prime(t, transport)
				}
				close(release)
				all.Wait()
			})
		})
	}
}

// A diary records all calls of a Trace's hooks, in order.
type diary struct {
	mu      sync.Mutex
	entries []string

	readings  []headway.ReadingInfo
	waits     []headway.WaitingInfo
	sent      []headway.SentInfo
	throttled []headway.ThrottledInfo
	refused   []*headway.LimitError
	evicted   []headway.EvictedInfo
}

// write records an event; after it also in a separate list.
func (d *diary) write(event string, more func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, event)
	more()
}

// trace returns a Trace whose hooks write to the diary and use the Transport, as no lock may be held.
func (d *diary) trace(t *headway.Transport) *headway.Trace {
	return &headway.Trace{
		Reading: func(_ context.Context, i headway.ReadingInfo) {
			t.State()
			d.write("reading", func() { d.readings = append(d.readings, i) })
		},
		Waiting: func(_ context.Context, i headway.WaitingInfo) {
			t.State()
			d.write(fmt.Sprintf("waiting: %s", i.Cause), func() { d.waits = append(d.waits, i) })
		},
		Sent: func(_ context.Context, i headway.SentInfo) {
			t.State()
			d.write("sent", func() { d.sent = append(d.sent, i) })
		},
		Resent: func(_ context.Context, i headway.SentInfo) {
			t.State()
			d.write("resent", func() { d.sent = append(d.sent, i) })
		},
		Throttled: func(_ context.Context, i headway.ThrottledInfo) {
			t.State()
			d.write("throttled", func() { d.throttled = append(d.throttled, i) })
		},
		Refused: func(_ context.Context, err *headway.LimitError) {
			t.State()
			d.write("refused", func() { d.refused = append(d.refused, err) })
		},
		Abandoned: func(_ context.Context, i headway.SentInfo) {
			t.State()
			d.write("abandoned", func() { d.sent = append(d.sent, i) })
		},
		Evicted: func(i headway.EvictedInfo) {
			t.State()
			d.write("evicted", func() { d.evicted = append(d.evicted, i) })
		},
	}
}

// traced returns a Transport over base, and its diary.
func traced(base http.RoundTripper) (*headway.Transport, *diary) {
	d := &diary{}
	transport := &headway.Transport{Base: base, Jitter: -1}
	transport.Trace = d.trace(transport)
	return transport, d
}

// Each hook calls the hooks of all traces, in order. It is nil if no trace has it.
func TestJoinTraces(t *testing.T) {
	var calls []string
	trace := func(name string, leaveOut int) *headway.Trace {
		trace := &headway.Trace{}
		for field, hook := range reflect.ValueOf(trace).Elem().Fields() {
			if field.Index[0] == leaveOut {
				continue
			}
			hook.Set(reflect.MakeFunc(hook.Type(), func([]reflect.Value) []reflect.Value {
				calls = append(calls, fmt.Sprint(name, " ", field.Name))
				return nil
			}))
		}
		return trace
	}
	hooks := reflect.TypeFor[headway.Trace]().NumField()
	for leaveOut := range hooks {
		joined := reflect.ValueOf(headway.JoinTraces(nil, trace("a", -1), nil, trace("b", leaveOut), trace("c", -1))).Elem()
		for field, hook := range joined.Fields() {
			calls = nil
			args := make([]reflect.Value, hook.Type().NumIn())
			for i := range args {
				args[i] = reflect.Zero(hook.Type().In(i))
			}
			hook.Call(args)
			want := []string{"a " + field.Name, "b " + field.Name, "c " + field.Name}
			if field.Index[0] == leaveOut {
				want = []string{want[0], want[2]}
			}
			require.Equal(t, want, calls)
		}
	}
	require.Zero(t, *headway.JoinTraces(&headway.Trace{}, &headway.Trace{}))
	require.Nil(t, headway.JoinTraces())
	require.Nil(t, headway.JoinTraces(nil, nil))
	only := &headway.Trace{Sent: func(context.Context, headway.SentInfo) {}}
	require.Same(t, only, headway.JoinTraces(nil, only))
}
