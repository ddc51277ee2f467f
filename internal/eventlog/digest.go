package eventlog

import (
	"container/list"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/schedule"
)

const (
	// maxProblems bounds the wrong header fields of one partition that are logged at level Info: a server can invent
	// as many as it likes.
	maxProblems = 32
	// longWait is how long a wait or a hold must be to be logged at level Info.
	longWait = time.Second
	// waitsEvery is the least time between two lines about the waits of one partition while they last. Waits that
	// begin again within it continue the earlier ones.
	waitsEvery = time.Minute
	// refusalsEvery is the least time between two lines about requests of one partition that are not sent.
	refusalsEvery = time.Second
)

// A digest is what the log remembers of one partition, so that many events of a kind make few lines.
type digest struct {
	problems []uint64 // hashes of the wrong header fields that were logged
	waits    waitDigest
	refusals refusalDigest
}

// isOwing reports whether a line may be due at a later event.
func (d *digest) isOwing() bool { return d.waits.isOpen || d.refusals.unlogged > 0 }

// A waitLine is which line, if any, an event adds to the log about long waits.
type waitLine uint8

const (
	noLine waitLine = iota
	waitsBegin
	waitsLast
	waitsEnd
)

// A waitDigest follows the long waits of one partition, from the first one to the last.
type waitDigest struct {
	queue list.List   // of the requests that wait, the earliest first
	timer *time.Timer // nil: not set

	isOpen   bool          // there are long waits
	isLogged bool          // the log says so
	isBack   bool          // they began again soon after an end, as those of a client that waits alone each time
	begun    time.Time     // the beginning of the first long wait
	seen     time.Time     // the last one
	ended    time.Time     // the last end
	logged   time.Time     // the last line about a beginning, or that waits last
	longest  time.Duration // since begun
}

// A waitEvent is what the log sees of a partition's waits when a request begins or stops to wait.
type waitEvent struct {
	now       time.Time
	longest   time.Duration // the longest wait, as far as it has lasted or is planned
	lasted    time.Duration // the part of it that is over, or of the oldest wait
	waiting   int           // requests that wait after the event
	isPlanned bool          // the waits are those of a shadow, where an empty queue means nothing
}

// drop removes a request that waits no more.
func (w *waitDigest) drop(one *Wait) {
	if one.entry != nil {
		w.queue.Remove(one.entry)
		one.entry = nil
	}
}

// oldest returns the request that has waited longest; nil if none waits.
func (w *waitDigest) oldest() *Wait {
	if first := w.queue.Front(); first != nil {
		return first.Value.(*Wait)
	}
	return nil
}

// setAlarm calls f when a line may be due although nothing happens, unless a timer is set already.
func (w *waitDigest) setAlarm(now time.Time, f func()) {
	var at time.Time
	switch oldest := w.oldest(); {
	case w.timer != nil:
		return
	case w.isOpen && w.logged.Add(waitsEvery).After(now) && oldest != nil:
		at = w.logged.Add(waitsEvery)
	case w.isOpen:
		at = w.seen.Add(waitsEvery)
	case oldest != nil:
		at = oldest.begun.Add(longWait)
	default:
		return
	}
	w.timer = clock.After(at.Sub(now), f)
}

// step takes in an event and returns the line to log.
func (w *waitDigest) step(e waitEvent) waitLine {
	isLong := e.longest >= longWait
	if isLong && !w.isOpen && (e.waiting > 0 || e.isPlanned) {
		w.open(e)
	}
	if !w.isOpen {
		return noLine
	}
	if isLong {
		w.seen, w.longest = e.now, max(w.longest, e.longest)
	}
	isEmpty := e.waiting == 0 && !e.isPlanned && !w.isBack
	if isEmpty || e.now.Sub(w.seen) >= waitsEvery {
		return w.end(e.now)
	}
	if isLong {
		return w.line(e.now)
	}
	return noLine
}

// line returns the line about waits that begin or last, if it is time for one.
func (w *waitDigest) line(now time.Time) waitLine {
	if !w.logged.IsZero() && now.Sub(w.logged) < waitsEvery {
		return noLine
	}
	w.logged = now
	if w.isLogged {
		return waitsLast
	}
	w.isLogged = true
	return waitsBegin
}

func (w *waitDigest) open(e waitEvent) {
	w.isOpen, w.isLogged, w.begun, w.longest = true, false, e.now.Add(-e.lasted), 0
	w.isBack = !w.ended.IsZero() && e.now.Sub(w.ended) < waitsEvery
}

// end closes the digest. Waits whose beginning was not logged end without a line.
func (w *waitDigest) end(now time.Time) waitLine {
	wasLogged := w.isOpen && w.isLogged
	w.isOpen, w.ended = false, now
	if wasLogged {
		return waitsEnd
	}
	return noLine
}

// A refusalDigest counts the requests of one partition that were not sent.
type refusalDigest struct {
	logged   time.Time      // the last line
	unlogged int            // since then
	last     *schedule.Wait // of these
}

// add counts one. It reports whether a line is due, which is about so many requests.
func (r *refusalDigest) add(now time.Time, last *schedule.Wait) (count int, isDue bool) {
	r.unlogged, r.last = r.unlogged+1, last
	count, _, isDue = r.due(now)
	return count, isDue
}

// due reports whether a line is due, which is about so many requests, the last of them refused for last.
func (r *refusalDigest) due(now time.Time) (count int, last *schedule.Wait, isDue bool) {
	if r.unlogged == 0 || !r.logged.IsZero() && now.Sub(r.logged) < refusalsEvery {
		return 0, nil, false
	}
	return r.take(now)
}

func (r *refusalDigest) take(now time.Time) (count int, last *schedule.Wait, isAny bool) {
	count, last = r.unlogged, r.last
	r.logged, r.unlogged, r.last = now, 0, nil
	return count, last, count > 0
}

// digest calls f with the digest of a partition, under the lock. If the partition has none, it is made if isNeeded and
// there are not too many. Otherwise f is not called.
func (l *Log) digest(partition string, isNeeded bool, f func(*digest)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.digests[partition]
	if d == nil {
		if !isNeeded || len(l.digests) >= registry.MaxPartitions {
			return
		}
		d = &digest{}
		l.digests[partition] = d
	}
	before := d.isOwing()
	f(d)
	l.countOwing(before, d.isOwing())
}

// countOwing keeps the number of digests that may owe a line.
func (l *Log) countOwing(before, after bool) {
	switch {
	case after && !before:
		l.owing.Add(1)
	case before && !after:
		l.owing.Add(-1)
	}
}

// forget removes the digest of a partition, and returns it; nil if there was none.
func (l *Log) forget(partition string) *digest {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.digests[partition]
	if d != nil {
		if d.waits.timer != nil {
			d.waits.timer.Stop()
		}
		delete(l.digests, partition)
		l.countOwing(d.isOwing(), false)
	}
	return d
}

// addProblem notes a wrong header field. It reports false if the field was logged before, or too many were.
func (d *digest) addProblem(id uint64) bool {
	if slices.Contains(d.problems, id) || len(d.problems) >= maxProblems {
		return false
	}
	d.problems = append(d.problems, id)
	return true
}
