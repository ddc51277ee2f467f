package fleets

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

// A fresh member waits at most a second for its part. Then it goes on as without a Fleet.
func TestFreshMemberWaitsForItsPart(t *testing.T) {
	for _, row := range []struct {
		name   string
		after  time.Duration // 0: it gets none
		want   time.Duration
		agreed bool
	}{
		{"told soon", 300 * time.Millisecond, 300 * time.Millisecond, true},
		{"told too late", 2 * time.Second, time.Second, true},
		{"not told", 0, time.Second, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, f := handfleet.Shared(t, kit.InTurn(handfleet.OfSixty(59), handfleet.OfSixty(58)))
				start := time.Now()
				require.False(t, transport.State()[0].Limits[0].Agreed)
				if part := f.Agreement(t, 30); row.after > 0 {
					time.AfterFunc(row.after, func() { f.Tell(part) })
				}
				kit.Prime(t, transport)
				require.Equal(t, row.want, time.Since(start))
				require.True(t, f.Wanted())
				time.Sleep(5 * time.Second)
				require.Equal(t, row.agreed, transport.State()[0].Limits[0].Agreed)
			})
		})
	}
}

// A partition that is made while the store is lost does not wait for a part. It goes on as without a
// Fleet.
func TestFreshPartitionWhileTheStoreIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := handfleet.New()
		transport := kit.Seeded(t, &headway.Transport{
			Base:  kit.InTurn(kit.Status(http.StatusOK, "RateLimit", `"minute";r=5999;t=60`, "RateLimit-Policy", `"minute";q=6000;w=60`)),
			Fleet: f, Burst: -1, Jitter: -1,
			Partition: func(r *http.Request) string { return r.URL.Path },
		})
		transport.State()
		second := func(path string) (waited time.Duration) { // of the second request
			for range 2 {
				start := time.Now()
				resp, err := kit.Get(t.Context(), transport, kit.URL+path)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				waited = time.Since(start)
			}
			return waited
		}
		require.Equal(t, time.Second, second("/before"))
		f.Reached(errors.New("connection refused"))
		require.Less(t, second("/while"), 20*time.Millisecond)
		f.Reached(nil)
		require.Equal(t, time.Second, second("/after"))
	})
}

// In shadow mode the Transport reports its usage and delays nothing.
func TestFleetOfAShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := handfleet.New()
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(handfleet.OfSixty(59), handfleet.OfSixty(58)), Fleet: f, Shadow: true})
		kit.Prime(t, transport)
		part := f.Agreement(t, 1)
		part.Held = time.Minute
		f.Tell(part)
		start := time.Now()
		for range 5 {
			kit.Prime(t, transport)
		}
		require.Zero(t, time.Since(start))
		require.EqualValues(t, 6, f.Uses(t)[0].Limits[0].Sent)
	})
}

// A request that waits for a larger part goes as soon as the part arrives.
func TestRaiseGrantsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(handfleet.OfSixty(59), handfleet.OfSixty(58))
		transport, f := handfleet.Shared(t, base)
		f.Tell(f.Agreement(t, 1))
		start := time.Now()
		var clients sync.WaitGroup
		for range 3 {
			clients.Go(func() { kit.Prime(t, transport) })
		}
		time.Sleep(10 * time.Second)
		require.Equal(t, 1, base.Sent())
		f.Tell(f.Agreement(t, 60))
		synctest.Wait()
		require.Equal(t, 2, base.Sent(), "the others follow at the pace")
		clients.Wait()
		require.Equal(t, 4, base.Sent())
		require.LessOrEqual(t, time.Since(start), 13*time.Second)
	})
}

// What is wrong with a fleet is reported once, and again every ten minutes. The return of its store is reported too.
func TestFleetFaults(t *testing.T) {
	first, second := errors.New("connection refused"), errors.New("timeout")
	lost := func(err error) headway.FleetInfo { return headway.FleetInfo{Err: err, Lost: true} }
	for _, row := range []struct {
		name   string
		report func(*share.Member, error)
		told   []error // one each half a minute
		want   []headway.FleetInfo
		fault  string // as State shows it in the end
	}{
		{"lost and back", (*share.Member).Reached, []error{nil, nil, first, first, second, nil, nil, second, nil}, []headway.FleetInfo{lost(first), {}, lost(second), {}}, ""},
		{"lost and back all the time", (*share.Member).Reached, []error{first, nil, first, nil, first, nil, first, first}, []headway.FleetInfo{lost(first), {}, lost(first), {}, lost(first)}, "connection refused"},
		{"lost for long", (*share.Member).Reached, slices.Repeat([]error{first}, 50), slices.Repeat([]headway.FleetInfo{lost(first)}, 3), "connection refused"},
		{"another fault", (*share.Member).Beside, []error{nil, first, nil, second, second}, []headway.FleetInfo{{Err: first}, {Err: second}}, "timeout"},
		{"another fault for long", (*share.Member).Beside, slices.Repeat([]error{first}, 30), slices.Repeat([]headway.FleetInfo{{Err: first}}, 2), "connection refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logger, out := kit.NewLogger(slog.LevelInfo)
				f := handfleet.New()
				transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(200)), Fleet: f, Logger: logger})
				var told []headway.FleetInfo
				transport.Trace = &headway.Trace{Fleet: func(info headway.FleetInfo) {
					transport.State() // no lock is held
					told = append(told, info)
				}}
				kit.Prime(t, transport)
				for _, err := range row.told {
					row.report(f.Member, err)
					time.Sleep(30 * time.Second)
					kit.Prime(t, transport) // so that its partition stays
				}
				require.Equal(t, row.want, told)
				require.Len(t, kit.Messages(out), len(told))
				require.Contains(t, out.String(), "level=WARN")
				require.Contains(t, out.String(), `reason="connection refused"`)
				require.Equal(t, row.fault, transport.State()[0].FleetFault)
			})
		})
	}
	f := handfleet.New()
	kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(200)), Fleet: f}).State()
	f.Reached(first) // without hooks
}

// A Fleet is joined once, and may call the member's methods at any time.
func TestFleetWhileRequestsRun(t *testing.T) {
	f := handfleet.New()
	f.Wants = nil
	transport := kit.Seeded(t, &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
		return kit.Respond(req, 200, "RateLimit", `"a";r=100000;t=1`, "RateLimit-Policy", `"a";q=100000;w=1`), nil
	}), Fleet: f, Trace: &headway.Trace{Fleet: func(headway.FleetInfo) {}}})
	kit.Prime(t, transport)
	all := f.Uses(t)
	stop := make(chan struct{})
	var fleet, clients sync.WaitGroup
	for i := range 3 {
		fleet.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				part := limits.Parts{Lasts: time.Duration(n%3-1) * time.Second, Members: n % 5}
				part.Limits = []limits.Part{{ID: all[0].Limits[0].ID, Share: 0.5, Units: 50000 + int64(n%2), Next: 50000, Full: n%2 == 0, Remaining: 90000}}
				f.Tell(part)
				_, _ = f.Reports()
				f.Reached([]error{nil, errors.New("lost")}[n%2])
				f.Beside([]error{nil, errors.New("slow")}[n%2])
				transport.State()
			}
		})
	}
	for range 8 {
		clients.Go(func() {
			for range 50 {
				if resp, err := kit.Get(t.Context(), transport, kit.URL); err == nil {
					_ = resp.Body.Close()
				}
			}
		})
	}
	clients.Wait()
	close(stop)
	fleet.Wait()
	require.GreaterOrEqual(t, f.Uses(t)[0].Limits[0].Sent, int64(8*50+1))
	require.EqualValues(t, 1, f.Joined.Load())
}
