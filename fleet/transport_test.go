package fleet

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

// A handFleet renews its only member when the test calls it.
type handFleet struct {
	*transport
	user *headway.Transport
}

func (f *handFleet) Key() []byte { return []byte(testKey) }

func (f *handFleet) Join(m *share.Member) chan<- struct{} {
	f.transport = newTransport(m, nameKey([]byte(testKey)), func() {})
	return nil
}

// newHandFleet returns the Fleet of a Transport that has made a request to each path. Each path is a
// partition.
func newHandFleet(t *testing.T, paths ...string) *handFleet {
	t.Helper()
	f := &handFleet{}
	service := newService(600)
	service.Client = func(r *http.Request) string { return r.URL.Path }
	f.user = &headway.Transport{
		Base: &ratelimittest.Transport{Handler: service}, Fleet: f,
		Partition: func(r *http.Request) string { return r.URL.Path },
	}
	f.visit(t, paths...)
	return f
}

func (f *handFleet) visit(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test"+path, http.NoBody)
		require.NoError(t, err)
		resp, err := f.user.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
}

// recording is a store that records its calls.
type recording struct {
	store
	renewed [][]string // names of partitions
	denied  []string   // partitions for which agree fails
	why     error
}

func (s *recording) renew(ctx context.Context, id string, batch []renewal) ([]renewed, error) {
	var names []string
	for i := range batch {
		names = append(names, batch[i].name)
	}
	s.renewed = append(s.renewed, names)
	return s.store.renew(ctx, id, batch)
}

func (s *recording) agree(ctx context.Context, batch []outcome) []error {
	errs := make([]error, len(batch))
	for i := range batch {
		if slices.Contains(s.denied, batch[i].name) {
			errs[i] = s.why
		} else {
			errs[i] = s.store.agree(ctx, batch[i:i+1])[0]
		}
	}
	return errs
}

// renews renews the only member, which succeeds.
func (f *handFleet) renews(t *testing.T, s store, hurried bool) {
	t.Helper()
	isUsed, err := f.renew(t.Context(), s, hurried)
	require.NoError(t, err)
	require.True(t, isUsed)
}

// agreed returns the number of partitions with agreed shares.
func (f *handFleet) agreed() (n int) {
	for _, s := range f.user.State() {
		if s.Limits[0].Agreed {
			n++
		}
	}
	return n
}

// A member uses its own agreement at once if the store has accepted it. Otherwise others could be given the
// same units.
func TestOwnPartOnlyIfStored(t *testing.T) {
	for _, why := range []error{errTurn, errLost} {
		t.Run(why.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newHandFleet(t, "/a", "/b")
				s := &recording{store: newMemory(), why: why}
				f.renews(t, s, false)
				s.denied = s.renewed[0][:1]
				time.Sleep(turnFor)
				require.Zero(t, f.agreed(), "nothing is agreed on yet")
				f.renews(t, s, false)
				require.Equal(t, 1, f.agreed(), "one is not kept up by another")
				s.denied = nil
				time.Sleep(turnFor)
				f.renews(t, s, false)
				require.Equal(t, 2, f.agreed())
			})
		})
	}
}

// With too many partitions, the same ones are shared each time, by all members.
func TestMostPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		for i := range mostPartitions + 100 {
			paths = append(paths, fmt.Sprintf("/%d", i))
		}
		s := &recording{store: newMemory()}
		f := newHandFleet(t, paths...)
		f.renews(t, s, false)
		time.Sleep(time.Second)
		f.renews(t, s, false)
		slices.Reverse(paths)
		other := newHandFleet(t, paths...)
		other.renews(t, s, false)
		require.Len(t, s.renewed, 5, "each knows the store's time from the first time on")
		for i, names := range s.renewed {
			require.Len(t, names, mostPartitions)
			require.True(t, slices.Equal(s.renewed[0], names), i)
		}
	})
}

// A hurried renewal is only for partitions with waiting requests.
func TestHurriedRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newHandFleet(t, "/a", "/b")
		s := &recording{store: newMemory()}
		f.renews(t, s, false)
		before := len(s.renewed)
		f.renews(t, s, true)
		require.Len(t, s.renewed, before, "nobody waits")

		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go func() {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/a", http.NoBody)
				if err == nil {
					if resp, err := f.user.RoundTrip(req); err == nil {
						_ = resp.Body.Close()
					}
				}
			}()
		}
		synctest.Wait()
		f.renews(t, s, true)
		require.Len(t, s.renewed, before+1)
		require.Len(t, s.renewed[before], 1)
		cancel()
	})
}

// A partition is forgotten after a long time without use, and a limit as soon as the server does not report
// it any more.
func TestPartitionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newHandFleet(t, "/a", "/b")
		s := newMemory()
		f.renews(t, s, false)
		require.Len(t, f.partitions, 2)
		for range 20 {
			time.Sleep(idleFor / 10)
			f.visit(t, "/b")
			f.renews(t, s, false)
		}
		require.Len(t, f.partitions, 1)
	})
	var p partition
	p.demands = make(map[string]*demand)
	now := time.Now()
	p.clock.set(1000, now, now)
	use := func(policy string) limits.Use {
		return limits.Use{ID: limits.ID{Policy: policy}, Quota: 1, Window: time.Second}
	}
	for _, policy := range []string{"first", "second", "third"} {
		r, _ := p.record(&limits.Usage{Limits: []limits.Use{use(policy), use("same")}}, now)
		require.Len(t, r.Limits, 2)
		require.Len(t, p.demands, 2)
	}
	many := make([]limits.Use, 2*mostLimits)
	for i := range many {
		many[i] = use(nameOf(i))
	}
	r, _ := p.record(&limits.Usage{Limits: many}, now)
	require.Len(t, r.Limits, mostLimits)
}

// A renewal that Close interrupts is not reported as a lost store.
func TestCloseIsNotReportedAsLostStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newHandFleet(t)
		var told []error
		f.user.Trace = &headway.Trace{Fleet: func(i headway.FleetInfo) { told = append(told, i.Err) }}
		f.visit(t, "/a")
		s := newMemory()
		s.set(true)
		closing, cancel := context.WithCancel(t.Context())
		time.AfterFunc(renewEvery/2, cancel)
		_, err := f.renew(closing, s, false)
		require.NoError(t, err)
		require.Empty(t, told)
		_, err = f.renew(t.Context(), s, false)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], context.DeadlineExceeded)
	})
}
