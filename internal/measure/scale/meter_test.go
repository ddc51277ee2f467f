package scale

import (
	"runtime"
	"testing"
	"time"
)

// A meter tells what work costs. It can be used in a bubble of testing/synctest, though
// made outside, where its clock is the real one.
type meter struct {
	ask  chan struct{}
	told chan time.Time
}

func newMeter(t *testing.T) *meter {
	t.Helper()
	m := &meter{ask: make(chan struct{}), told: make(chan time.Time)}
	go func() {
		for range m.ask {
			m.told <- time.Now()
		}
	}()
	t.Cleanup(func() { close(m.ask) })
	return m
}

func (m *meter) now() time.Time {
	m.ask <- struct{}{}
	return <-m.told
}

// A cost is what something took.
type cost struct {
	time   float64 // in nanoseconds
	allocs float64
	bytes  float64 // allocated, whether or not they are kept
}

// measure returns what f takes.
func (m *meter) measure(f func()) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := m.now()
	f()
	took := m.now().Sub(begun)
	runtime.ReadMemStats(&after)
	return cost{
		time:   float64(took.Nanoseconds()),
		allocs: float64(after.Mallocs - before.Mallocs),
		bytes:  float64(after.TotalAlloc - before.TotalAlloc),
	}
}

// each is what each of n things took that took c together.
func (c cost) each(n int) cost {
	return cost{time: c.time / float64(n), allocs: c.allocs / float64(n), bytes: c.bytes / float64(n)}
}

// inUse returns the bytes of the heap and of stacks that are in use.
func inUse() (heap, stacks int) {
	runtime.GC()
	runtime.GC() // what finalizers and pools have kept
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc), int(stats.StackInuse)
}

// warm has the runtime keep n goroutines that have ended, whose descriptors are never
// freed, so that they are not taken for memory that others use.
func warm(n int) {
	start, done := make(chan struct{}), make(chan struct{}, n)
	for range n {
		go func() {
			<-start
			done <- struct{}{}
		}()
	}
	close(start)
	for range n {
		<-done
	}
}
