package registry

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// heldMost bounds the size of a partition that a server fills with names.
const heldMost = 48 << 10

// Servers that report the most limits with the longest names cannot exceed MaxMemory.
func TestMemoryIsBounded(t *testing.T) {
	const hosts, mostMemory = 500, 1 << 20
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(MaxPartitions, mostMemory)
		for i := range hosts {
			w.tell(t, i)
			require.LessOrEqual(t, w.Memory.Load(), int64(mostMemory+heldMost), "but for the last answer")
			time.Sleep(time.Second)
		}
		w.use(t, hosts)
		require.LessOrEqual(t, w.Memory.Load(), int64(mostMemory))
		require.Greater(t, w.Memory.Load(), int64(mostMemory*9/10), "no more go than have to")
		require.Len(t, w.gone(), hosts+1-len(w.All()))
		for i, e := range w.gone() {
			require.True(t, e.Full)
			require.Equal(t, host(i).Host, e.Partition.Key().Host, "the longest idle one first")
		}
	})
}

// Partitions in use are not forgotten, even above MaxMemory. The search for room then pauses.
func TestMemoryOfPartitionsInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(MaxPartitions, 1000)
		var inFlight []*schedule.Visit
		for i := range 5 {
			w.tell(t, i)
			time.Sleep(time.Minute)
			inFlight = append(inFlight, w.enter(t, i))
		}
		require.Empty(t, w.gone())
		require.Len(t, w.All(), 5)
		w.find(0)
		require.Empty(t, w.gone())
		inFlight[2].Leave()
		w.find(1)
		require.Empty(t, w.gone(), "the search has been in vain a moment ago")
		time.Sleep(fullFor)
		w.find(0)
		require.Len(t, w.gone(), 1)
		require.False(t, w.has(2))
	})
}

// Memory is 0 again once all partitions are forgotten, after any sequence of events.
func TestMemoryDoesNotDrift(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 1))
				w := newWorld(20, 200<<10)
				w.settings.Shadow = true // nobody waits
				var inFlight []*schedule.Visit
				for range 1500 {
					switch i := rng.IntN(60); rng.IntN(8) {
					case 0:
						w.tell(t, i)
					case 1:
						w.hold(t, i, time.Duration(rng.IntN(3000))*time.Second)
					case 2:
						w.find(i).Forget()
					case 3:
						if len(inFlight) < 30 {
							inFlight = append(inFlight, w.enter(t, i))
						}
					case 4:
						if n := len(inFlight); n > 0 {
							w.answer(inFlight[n-1], pacer.Answer{RetryAfter: pacer.Unknown})
							inFlight = inFlight[:n-1]
						}
					case 5:
						if n := len(inFlight); n > 0 {
							inFlight[n-1].Leave()
							inFlight = inFlight[:n-1]
						}
					case 6:
						for _, e := range w.gone() {
							e.Partition.Forget() // which somebody found just before
						}
					default:
						w.use(t, i)
					}
					time.Sleep(time.Duration(rng.IntN(20)) * time.Second)
				}
				require.NotEmpty(t, w.gone())
				for _, v := range inFlight {
					v.Leave()
				}
				time.Sleep(48 * time.Hour)
				synctest.Wait()
				require.Empty(t, w.All())
				require.Zero(t, w.Memory.Load())
			})
		})
	}
}
