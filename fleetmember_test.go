package headway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A handFleet is a Fleet whose parts a test hands out.
type handFleet struct {
	secret string
	wants  chan struct{}

	joined atomic.Int64
	*FleetMember
}

func newHandFleet() *handFleet {
	return &handFleet{secret: string(testSecret()), wants: make(chan struct{}, 1)}
}

func (f *handFleet) Key() []byte { return []byte(f.secret) }

func (f *handFleet) Join(m *FleetMember) chan<- struct{} {
	f.joined.Add(1)
	f.FleetMember = m
	return f.wants
}

// wanted reports whether the Fleet was told that a request waits, since it was last asked.
func (f *handFleet) wanted() bool {
	select {
	case <-f.wants:
		return true
	default:
		return false
	}
}

// uses is what the Transport uses.
func (f *handFleet) uses(tb testing.TB) []PartitionUsage {
	tb.Helper()
	all, ok := f.Usage()
	require.True(tb, ok)
	return all
}

// agreement is a part of the only limit of the only partition, for as long as a test lasts:
// so many units of each window. It is one of two.
func (f *handFleet) agreement(tb testing.TB, units int64) PartitionPart {
	tb.Helper()
	all := f.uses(tb)
	require.Len(tb, all, 1)
	require.Len(tb, all[0].Limits, 1)
	l := &all[0].Limits[0]
	return PartitionPart{
		Name: all[0].Name, Until: time.Now().Add(24 * time.Hour), Members: 2,
		Limits: []LimitPart{{
			ID: l.ID, Share: float64(units) / float64(l.Quota), Units: units, Next: units, Ends: l.Ends, Full: true, Remaining: -1,
		}},
	}
}

func (f *handFleet) tell(part PartitionPart) { f.Apportion([]PartitionPart{part}) }

// ofSixty answers with a window of a minute of which so much is left.
func ofSixty(left int) func(*http.Request) *http.Response {
	return status(http.StatusOK, "RateLimit", fmt.Sprintf(`"minute";r=%d;t=60`, left), "RateLimit-Policy", `"minute";q=60;w=60`)
}

// shared returns a Transport in a fleet that has made its first request.
func shared(t *testing.T, base http.RoundTripper) (*Transport, *handFleet) {
	t.Helper()
	f := newHandFleet()
	transport := &Transport{Base: base, Fleet: f, Burst: -1, Jitter: -1}
	prime(t, transport)
	return transport, f
}

// A Fleet is joined at the first use, once, and is not asked anything until then.
func TestFleetIsJoinedOnce(t *testing.T) {
	f := newHandFleet()
	transport := &Transport{Base: inTurn(status(200)), Fleet: f}
	require.Zero(t, f.joined.Load())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			transport.State()
			if resp, err := get(t.Context(), transport, testURL); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, f.joined.Load())
	require.Nil(t, (&Transport{Base: inTurn(status(200))}).Fleet)
}

// Processes with the same key call a partition and its limits by the same names, others by
// others, and nobody without the key can tell what they stand for.
func TestFleetNames(t *testing.T) {
	base := inTurn(status(http.StatusOK, "RateLimit", `"policy-of-ann";r=9;t=60;pk=:c2VjcmV0:`, "RateLimit-Policy", `"policy-of-ann";q=10;w=60;pk=:c2VjcmV0:`))
	names := func(secret string, partition func(*http.Request) string, req *http.Request) (name, limit string) {
		f := newHandFleet()
		f.secret = secret
		resp, err := (&Transport{Base: base, Fleet: f, Partition: partition}).RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		all := f.uses(t)
		require.Len(t, all, 1)
		require.Len(t, all[0].Limits, 1)
		text, err := json.Marshal(all)
		require.NoError(t, err)
		for _, told := range []string{"hunter", "example", "ann", "c2VjcmV0", "secret", "bytes"} {
			require.NotContains(t, string(text), told)
		}
		return all[0].Name, all[0].Limits[0].ID
	}
	chosen := func(req *http.Request) string { return "of " + DefaultPartition(req) }
	seen := make(map[string]string)
	for _, secret := range []string{"a key of 16 bytes", "another key of 16 bytes"} {
		for kind, partition := range map[string]func(*http.Request) string{"by default": nil, "chosen": chosen} {
			for who, req := range map[string]*http.Request{
				"nobody":    with(t, testURL),
				"elsewhere": with(t, "https://other.example.com/"),
				"ann":       with(t, testURL, "Authorization", "Bearer hunter2"),
				"bob":       with(t, testURL, "Authorization", "Bearer hunter3"),
			} {
				name, limit := names(secret, partition, req)
				again, limitAgain := names(secret, partition, req.Clone(t.Context()))
				require.Equal(t, name, again, "in another process")
				require.Equal(t, limit, limitAgain)
				what := fmt.Sprint(secret, kind, who)
				require.Empty(t, seen[name], what)
				seen[name] = what
				require.Contains(t, []string{"", secret}, seen[limit], "a limit is called the same everywhere")
				seen[limit] = secret
			}
		}
	}
	require.Len(t, seen, 2*2*4+2)
}

// Told of are partitions that are in use: in which requests wait or are in flight, that are
// held, or that had requests lately.
func TestFleetUsageIsOfActivePartitions(t *testing.T) {
	for _, row := range []struct {
		name  string
		base  http.RoundTripper
		begin func(t *testing.T, transport *Transport) // leaves the partition as it is to be
		still bool                                     // it is told of much later
	}{
		{"idle", inTurn(ofSixty(59)), func(*testing.T, *Transport) {}, false},
		{"held", inTurn(status(429, "Retry-After", "3600")), func(*testing.T, *Transport) {}, true},
		{"in flight", inTurn(status(200)), func(_ *testing.T, transport *Transport) {
			p := transport.partitions.all()[0]
			p.mu.Lock()
			defer p.mu.Unlock()
			p.send(p.clock.Now(), &pacer.Cost{Requests: 1})
		}, true},
		{"waiting", inTurn(usedUpFor(3600)), func(t *testing.T, transport *Transport) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			go func() {
				if resp, err := get(ctx, transport, testURL); err == nil {
					_ = resp.Body.Close()
				}
			}()
			synctest.Wait()
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newHandFleet()
				transport := &Transport{Base: row.base, Fleet: f, MaxRetries: -1}
				prime(t, transport)
				row.begin(t, transport)
				require.Len(t, f.uses(t), 1)
				time.Sleep(activeFor)
				require.Len(t, f.uses(t), 1)
				time.Sleep(time.Nanosecond)
				require.Equal(t, row.still, len(f.uses(t)) == 1)
				time.Sleep(20 * time.Minute)
				require.Equal(t, row.still, len(f.uses(t)) == 1)
			})
		})
	}
}

// usedUpFor is a 200 after which nothing is left for so many seconds.
func usedUpFor(seconds int) func(*http.Request) *http.Response {
	return status(http.StatusOK, "RateLimit", fmt.Sprintf(`"a";r=0;t=%d`, seconds), "RateLimit-Policy", fmt.Sprintf(`"a";q=10;w=%d`, seconds))
}

func TestFleetUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := shared(t, inTurn(ofSixty(50), status(429, "Retry-After", "7")))
		start := time.Now()
		all := f.uses(t)
		require.Len(t, all, 1)
		require.Zero(t, all[0].Waiting)
		require.Zero(t, all[0].HeldUntil)
		l := all[0].Limits[0]
		require.InDelta(t, 59.5, l.Ends.Sub(start).Seconds(), 0.5)
		require.NotEmpty(t, l.ID)
		l.ID, l.Ends = "", time.Time{}
		require.Equal(t, LimitUsage{Quota: 60, Window: time.Minute, Sent: 1, Used: 1, Remaining: 50, Told: start}, l)

		f.tell(f.agreement(t, 30))
		l = f.uses(t)[0].Limits[0]
		require.Equal(t, [2]int64{30, 30}, [2]int64{l.Units, l.Next})
		require.InDelta(t, 0.5, l.Share, 1e-9)

		var clients sync.WaitGroup
		for range 3 {
			clients.Go(func() { prime(t, transport) })
		}
		synctest.Wait()
		all = f.uses(t)
		require.Equal(t, 3, all[0].Waiting)
		require.Equal(t, 7*time.Second, all[0].HeldUntil.Sub(start))
		require.EqualValues(t, 2, all[0].Limits[0].Sent)
		clients.Wait()
	})
}

// Limits of which the quota or the window is not known cannot be shared, nor those of
// requests that are not paced or of partitions for which there is no room.
func TestFleetUsageLeavesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := shared(t, inTurn(status(200, "RateLimit", `"count";r=5`)))
		require.Len(t, f.uses(t), 1)
		require.Empty(t, f.uses(t)[0].Limits, "it has no window")

		_, f = shared(t, inTurn(status(200)))
		require.Len(t, f.uses(t), 1)
		require.Empty(t, f.uses(t)[0].Limits)

		f = newHandFleet()
		transport := &Transport{Base: inTurn(ofSixty(50)), Fleet: f, Partition: func(*http.Request) string { return "" }}
		prime(t, transport)
		require.Empty(t, f.uses(t))

		f = newHandFleet()
		transport = &Transport{Base: inTurn(ofSixty(50)), Fleet: f}
		transport.State()
		transport.partitions.limit = 0
		prime(t, transport)
		require.Len(t, transport.State(), 1)
		require.Empty(t, f.uses(t), "several users share it")
		f.Apportion([]PartitionPart{{Name: "", Until: time.Now().Add(time.Hour), Members: 2}})
		require.Zero(t, transport.State()[0].Members)
	})
}

// State shows what was agreed on, until that is too long ago.
func TestStateOfAFleetMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, f := shared(t, inTurn(ofSixty(50)))
		require.Zero(t, transport.State()[0].Members)
		require.False(t, transport.State()[0].Limits[0].Agreed)

		part := f.agreement(t, 15)
		part.Members, part.Until = 4, time.Now().Add(3*time.Second)
		f.tell(part)
		state := transport.State()[0]
		require.Equal(t, 4, state.Members)
		require.True(t, state.Limits[0].Agreed)
		require.InDelta(t, 0.25, state.Limits[0].Share, 1e-9)

		time.Sleep(3*time.Second - 1)
		require.Equal(t, 4, transport.State()[0].Members)
		time.Sleep(time.Nanosecond)
		state = transport.State()[0]
		require.Zero(t, state.Members)
		require.False(t, state.Limits[0].Agreed)
		require.Less(t, state.Limits[0].Share, 0.5, "that is where the estimate begins")
	})
}
