package headway

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

func host(i int) *identity.Key {
	return &identity.Key{Scheme: "https", Host: fmt.Sprintf("host%d.example.com", i)}
}

// use sends a request in the partition, which is answered at once.
func (r *registry) use(k *identity.Key) *partition {
	now := r.clock.Now()
	p := r.lock(k, nil)
	defer p.mu.Unlock()
	p.send(now, &pacer.Cost{Requests: 1})
	p.release(now)
	return p
}

func (r *registry) has(k *identity.Key) bool { return r.get(k.Hash()) != nil }

func TestRegistryEvictsTheLongestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(pacer.Config{}, 4)
		for _, i := range []int{0, 1, 2, 3, 1, 0} {
			r.use(host(i))
			time.Sleep(time.Second)
		}
		for _, want := range []int{2, 3, 1, 0} {
			evicted := r.get(host(want).Hash())
			require.NotNil(t, evicted)
			r.use(host(100 + want))
			require.True(t, evicted.evicted)
			require.False(t, r.has(host(want)))
			require.Len(t, r.byKey, 4)
			require.Len(t, r.byUse, 4)
			time.Sleep(time.Second)
		}
	})
}

func TestRegistryEvictsWhenAllWereUsedSinceTheyWereMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(pacer.Config{}, 3)
		for _, i := range []int{0, 1, 2, 2, 1, 0} {
			r.use(host(i))
			time.Sleep(time.Second)
		}
		r.use(host(3))
		require.Nil(t, r.overflow)
		require.False(t, r.has(host(2)))
	})
}

func TestRegistryEvictsNothingInUse(t *testing.T) {
	for _, test := range []struct {
		name string
		hold func(p *partition, now pacer.Instant) (free func())
	}{
		{"request in flight", func(p *partition, now pacer.Instant) func() {
			p.send(now, &pacer.Cost{Requests: 1})
			return func() { p.release(now) }
		}},
		{"requests waiting", func(p *partition, now pacer.Instant) func() {
			p.queue = &queue{}
			p.queue.push(newTestWaiter(now, pacer.Never), kind{}, pacer.Plan{})
			return func() { p.queue = nil }
		}},
		{"hold", func(p *partition, now pacer.Instant) func() {
			ticket := p.send(now, &pacer.Cost{Requests: 1})
			p.pacer.Answered(now, &ticket, &pacer.Answer{Refused: true, RetryAfter: time.Minute}, 0)
			p.release(now)
			return func() { time.Sleep(2 * time.Minute) }
		}},
		{"locked this moment", func(p *partition, _ pacer.Instant) func() {
			p.mu.Lock()
			return p.mu.Unlock
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(pacer.Config{}, 2)
				oldest := r.use(host(0))
				free := test.hold(oldest, r.clock.Now())
				r.use(host(1))
				r.use(host(2))
				require.True(t, r.has(host(0)))
				require.False(t, r.has(host(1)))

				// With nothing to evict, new ones share one partition.
				second := r.get(host(2).Hash())
				second.send(r.clock.Now(), &pacer.Cost{Requests: 1})
				overflow := r.use(host(3))
				require.Same(t, overflow, r.use(host(4)))
				require.False(t, r.has(host(3)))
				second.release(r.clock.Now())
				require.Same(t, overflow, r.use(host(5)), "the search is not repeated at once")

				free()
				time.Sleep(fullFor)
				require.NotSame(t, overflow, r.use(host(5)))
				require.True(t, r.has(host(5)))
			})
		})
	}
}

func TestIdlePartitionsAreEvictedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{Base: inTurn(
			status(200),
			status(200, "RateLimit", `"a";r=50;t=7200`, "RateLimit-Policy", `"a";q=60;w=7200`),
		)}
		for _, url := range []string{"https://without.example.com/", "https://with.example.com/"} {
			resp, err := get(t.Context(), transport, url)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
		}
		require.Len(t, transport.State(), 2)
		time.Sleep(idleFor + sweepEvery)
		states := transport.State()
		require.Len(t, states, 1, "an open window is worth remembering")
		require.Equal(t, "https://with.example.com", states[0].Partition)
		time.Sleep(4 * time.Hour)
		require.Empty(t, transport.State())
		require.False(t, transport.partitions.sweeping, "no timer without partitions")

		prime(t, transport)
		require.Len(t, transport.State(), 1)
		time.Sleep(4 * time.Hour)
		require.Empty(t, transport.State(), "the timer is set again")
	})
}

func TestManyIdlePartitionsAreEvictedInOneSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(pacer.Config{}, maxPartitions)
		for i := range 5 * sweepBatch {
			r.use(host(i))
		}
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.Empty(t, r.byKey)
		require.Empty(t, r.byUse)
	})
}

func TestEvictionBetweenLookUpAndLock(t *testing.T) {
	r := newRegistry(pacer.Config{}, 10)
	for range 200 {
		p := r.use(host(0))
		p.mu.Lock()
		locked := make(chan *partition)
		go func() {
			p := r.lock(host(0), nil)
			p.mu.Unlock()
			locked <- p
		}()
		runtime.Gosched() // most times it has looked p up now, and waits for its lock
		r.mu.Lock()
		delete(r.byKey, p.key.Hash())
		r.mu.Unlock()
		p.evicted = true
		p.mu.Unlock()
		require.NotSame(t, p, <-locked)
	}
}

func TestForgottenTransportIsCollected(t *testing.T) {
	transport := &Transport{Base: inTurn(status(200))}
	prime(t, transport)
	require.True(t, transport.partitions.sweeping)
	collected := weak.Make(transport.partitions)
	transport = nil
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, collected.Value(), "the timer must not keep it alive")
}

// A request in flight keeps its partition, and so what its answer tells.
func TestPartitionOutlivesItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		transport := &Transport{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			<-answer
			return usedUp()(req), nil
		})}
		var poll sync.WaitGroup
		poll.Go(func() {
			if resp, err := get(t.Context(), transport, testURL); err == nil {
				_ = resp.Body.Close()
			}
		})
		time.Sleep(10 * idleFor)
		require.Equal(t, 1, transport.State()[0].InFlight)
		close(answer)
		poll.Wait()
		require.Equal(t, "minute", transport.State()[0].Limits[0].Policy)
	})
}
