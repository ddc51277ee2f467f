package fleet

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
)

func TestNewNeedsAKey(t *testing.T) {
	_, err := New(newMemory(), Options{Key: []byte(fleettest.Key[1:])})
	require.ErrorIs(t, err, ErrKey)
	require.NotContains(t, err.Error(), fleettest.Key[1:], "the key is a secret")
}

// After Close the other member learns within a renewal that it is alone, not only after the lease. The closed one goes by
// what the server tells.
func TestCloseGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, service := newMemory(), fleettest.NewService(600)
		one, other := s.fleet(t, fleettest.Key), s.fleet(t, fleettest.Key)
		stays, goes := fleettest.Client(one, service), fleettest.Client(other, service)
		fleettest.Use(t, 10, stays, goes)
		fleettest.RequireMembers(t, 2, stays, goes)
		begun := time.Now()
		require.NoError(t, other.Close())
		require.NoError(t, other.Close(), "again")
		require.Zero(t, time.Since(begun))
		fleettest.Use(t, 2, stays)
		fleettest.RequireMembers(t, 1, stays)
		fleettest.Use(t, 10, goes)
		fleettest.RequireMembers(t, 0, goes)
	})
}

// Close returns within a second even if the store hangs or is down, and the client's own timeouts are longer.
func TestCloseWhileTheStoreHangs(t *testing.T) {
	for _, row := range []struct {
		name  string
		down  bool
		after time.Duration
	}{
		{name: "in a renewal", after: 300 * time.Millisecond},
		{name: "when it is known to be lost", after: 30 * time.Second},
		{name: "it was never there", down: true, after: 5 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				m.set(row.down)
				s := &stubborn{m, make(chan struct{}, 1)}
				f, err := New(s, Options{Key: []byte(fleettest.Key)})
				require.NoError(t, err)
				tr := fleettest.Client(f, fleettest.NewService(600))
				fleettest.Use(t, 5, tr)
				s.hang <- struct{}{}
				defer func() { <-s.hang }()
				time.Sleep(row.after)
				fleettest.Use(t, 1, tr)
				begun := time.Now()
				err = f.Close()
				require.LessOrEqual(t, time.Since(begun), time.Second)
				if !row.down { // otherwise there is nothing to give back
					require.ErrorIs(t, err, context.DeadlineExceeded)
				}
				require.NoError(t, f.Close())
			})
		})
	}
}

// A stubborn store does not return when the context ends.
type stubborn struct {
	store.Store

	hang chan struct{} // renewals wait while it is full
}

func (s *stubborn) Renew(ctx context.Context, id string, batch []store.Renewal) ([]store.Renewed, error) {
	s.hang <- struct{}{}
	defer func() { <-s.hang }()
	return s.Store.Renew(ctx, id, batch)
}

// Join does not block, even for many Transports while the store hangs.
func TestJoinDoesNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMemory()
		f, service := s.fleet(t, fleettest.Key), fleettest.NewService(6000)
		s.set(true)
		begun := time.Now()
		for range 50 {
			_, err := fleettest.Get(t.Context(), fleettest.Client(f, service))
			require.NoError(t, err)
		}
		require.Zero(t, time.Since(begun))
		s.set(false)
	})
}

// A Transport that is not used any more is garbage-collected, although its Fleet is open.
func TestTransportThatIsCollected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, service := newMemory().fleet(t, fleettest.Key), fleettest.NewService(600)
		stays := fleettest.Client(f, service)
		func() { fleettest.Use(t, 10, stays, fleettest.Client(f, service)) }()
		fleettest.RequireMembers(t, 2, stays)
		joined := func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.members)
		}
		require.Equal(t, 2, joined())
		for i := 0; i < 100 && joined() > 1; i++ { // timers and caches release it after a few collections
			runtime.GC()
			fleettest.Use(t, 1, stays)
		}
		require.Equal(t, 1, joined())
		fleettest.Use(t, 6, stays)
		fleettest.RequireMembers(t, 1, stays)
	})
}

// Transports share quotas if their Fleets have the same store and key, also if that is one Fleet. Otherwise they do
// not share anything.
func TestWhoSharesAFleet(t *testing.T) {
	for _, row := range []struct {
		name string
		key  string // of the other Fleet; "": there is one Fleet
		want int    // members that each knows of
	}{
		{"one fleet", "", 2},
		{"the same key", fleettest.Key, 2},
		{"another key", fleettest.Key + "x", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, service := newMemory(), fleettest.NewService(600)
				f := s.fleet(t, fleettest.Key)
				other := f
				if row.key != "" {
					other = s.fleet(t, row.key)
				}
				one, two := fleettest.Client(f, service), fleettest.Client(other, service)
				fleettest.Use(t, 10, one, two)
				fleettest.RequireMembers(t, row.want, one, two)
				if row.want == 1 {
					require.Equal(t, ErrOtherKey.Error(), one.State()[0].FleetFault+two.State()[0].FleetFault, "who comes second finds out at once")
					fleettest.Use(t, 60, one, two)
					require.Equal(t, ErrOtherKey.Error(), one.State()[0].FleetFault)
					require.Equal(t, ErrOtherKey.Error(), two.State()[0].FleetFault)
				} else {
					sum := one.State()[0].Limits[0].Share + two.State()[0].Limits[0].Share
					require.InDelta(t, 1, sum, 0.1)
				}
			})
		})
	}
}

// A store that is far away is no lost one. What is told says how far it is, once parts cannot be agreed on in time.
func TestDistantStore(t *testing.T) {
	for _, row := range []struct {
		name  string
		delay time.Duration
		hangs bool
		want  string // of the fault
	}{
		{"near enough", 900 * time.Millisecond, false, ""},
		{"too far", 1200 * time.Millisecond, false, "slow: a round trip took 1.2s"},
		{"near, and then it hangs", 200 * time.Millisecond, true, "no answer in 2s, the last one took 200ms: context deadline"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newMemory()
				s.delay = row.delay
				var told []headway.FleetInfo
				tr := fleettest.Client(s.fleet(t, fleettest.Key), fleettest.NewService(600))
				tr.Trace = &headway.Trace{Fleet: func(i headway.FleetInfo) { told = append(told, i) }}
				fleettest.Use(t, 30, tr)
				s.set(row.hangs)
				fleettest.Use(t, 10, tr)
				synctest.Wait()
				require.Contains(t, tr.State()[0].FleetFault, row.want)
				if row.want == "" {
					require.Empty(t, told)
					require.Empty(t, tr.State()[0].FleetFault)
					return
				}
				require.Len(t, told, 1)
				require.Equal(t, row.hangs, told[0].Lost)
				require.ErrorContains(t, told[0].Err, row.want)
			})
		})
	}
}

// A store that fails is asked after 1, 2 and then every 4 s, not each second, and by regular renewals alone although
// requests want more. Once it is back it is asked each second again.
func TestLostStoreIsAskedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		w := newWorker(t, store, fleettest.ForAll(fixed.new(60, time.Minute)), request(t, "/"))
		defer w.end(true)
		calls := func(d time.Duration) int {
			before := store.calls.Load()
			time.Sleep(d)
			return int(store.calls.Load() - before)
		}
		require.GreaterOrEqual(t, calls(20*time.Second), 18)
		store.set(true)
		require.LessOrEqual(t, calls(20*time.Second), 8)
		store.set(false)
		calls(5 * time.Second)
		require.GreaterOrEqual(t, calls(20*time.Second), 18)
	})
}
