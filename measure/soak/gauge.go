package main

import (
	"math"
	"runtime"
	"strings"
)

// gauges are measurements that must not grow, taken at rest. Their order is that of gaugeKinds.
type gauges [4]float64

const (
	heapKiB = iota
	goroutines
	timers
	requestBodies
)

// A gaugeKind is the name of a gauge, and how much it may grow.
type gaugeKind struct {
	name  string
	slack float64 // in the gauge's unit; a tenth of the mean is allowed as well
}

// gaugeKinds allows 256 KiB for partitions, which are forgotten many at a time.
func gaugeKinds() [len(gauges{})]gaugeKind {
	return [...]gaugeKind{{"heap, KiB", 256}, {"goroutines", 3}, {"timers", 3}, {"request bodies", 0}}
}

// liveTimers counts the timers that have not been collected, by the function that made them. It needs a
// MemProfileRate of 1. The counts are those of the second to last garbage collection.
func liveTimers() map[string]int64 {
	size, _ := runtime.MemProfile(nil, false)
	records := make([]runtime.MemProfileRecord, size+50)
	size, ok := runtime.MemProfile(records, false)
	if !ok {
		return liveTimers() // the profile has grown meanwhile
	}
	live := make(map[string]int64)
	for i := range records[:size] {
		if maker := timerMaker(records[i].Stack()); maker != "" {
			live[maker] += records[i].InUseObjects()
		}
	}
	return live
}

// timerMaker returns the function that made a timer by its stack; "" if the allocation is no timer.
func timerMaker(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	isTimer := false
	for {
		frame, more := frames.Next()
		switch {
		case !more:
			return ""
		case frame.Function == "time.newTimer":
			isTimer = true
		case strings.HasPrefix(frame.Function, "runtime."), isTimer && strings.HasPrefix(frame.Function, "time."):
		case isTimer:
			return frame.Function
		default:
			return ""
		}
	}
}

func sum(counts map[string]int64) (n int64) {
	for _, count := range counts {
		n += count
	}
	return n
}

// heap returns the KiB in use after two garbage collections. The second one empties the pools.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / 1024
}

// A trend is a line that is fitted to the second half of evenly spaced samples.
type trend struct {
	mean   float64
	rise   float64 // from the line's beginning to its end; 0 if there are too few samples
	chance float64 // three times the standard error of rise
}

// enough is how many samples a trend needs.
const enough = 20

func trendOf(samples []float64) trend {
	half := samples[len(samples)/2:]
	n := float64(len(half))
	var t trend
	for _, y := range half {
		t.mean += y / n
	}
	if len(samples) < enough {
		return t
	}
	at := func(i int) float64 { return float64(i) - (n-1)/2 }
	var xy, xx, rest float64
	for i, y := range half {
		xy += at(i) * (y - t.mean)
		xx += at(i) * at(i)
	}
	for i, y := range half {
		off := y - t.mean - xy/xx*at(i)
		rest += off * off
	}
	t.rise = xy / xx * (n - 1)
	t.chance = 3 * math.Sqrt(rest/(n-2)/xx) * (n - 1)
	return t
}

// grows reports whether the rise exceeds both the slack and chance.
func (k gaugeKind) grows(samples []float64) bool {
	t := trendOf(samples)
	return t.rise > max(k.slack, t.mean/10, t.chance)
}

// series are the samples of one gauge.
func series(all []gauges, gauge int) []float64 {
	var one []float64
	for _, g := range all {
		one = append(one, g[gauge])
	}
	return one
}
