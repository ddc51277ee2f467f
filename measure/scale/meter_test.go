package scale

import (
	"runtime"
	"testing"
	"time"
)

// A meter measures the cost of work. It is made outside a bubble of testing/synctest, so that its clock is the real one,
// and can be used inside.
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

// A cost is the result of a measurement.
type cost struct {
	time   float64 // in nanoseconds
	allocs float64
	bytes  float64 // allocated in all
}

// measure returns the cost of f.
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

// each returns the nth part of c.
func (c cost) each(n int) cost {
	return cost{time: c.time / float64(n), allocs: c.allocs / float64(n), bytes: c.bytes / float64(n)}
}

// inUse returns the bytes in use on the heap and in stacks.
func inUse() (heap, stacks int) {
	runtime.GC()
	runtime.GC() // frees what finalizers and pools have kept
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc), int(stats.StackInuse)
}

// warm starts and ends n goroutines. The runtime keeps their descriptors, which then do not count as memory of later
// measurements.
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
