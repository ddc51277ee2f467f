package termheadway

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/clock"
)

// Requests are shown once they have waited for patience. As long as any wait, the line is rewritten every interval, and
// soon after one of them was sent.
const (
	patience = time.Second
	interval = time.Second
	soon     = 100 * time.Millisecond
)

// A Line is the line on a terminal that shows what requests wait for. [Show] makes one. It is safe for concurrent use.
//
// A Line has no lasting goroutine. While requests wait it has one timer. No request waits for the terminal, even if it
// stands still.
type Line struct {
	screen     *screen
	transports []*headway.Transport

	mu       sync.Mutex // never held while something is written
	notes    map[key]*note
	timer    *time.Timer // nil until something waits
	phase    phase
	delay    time.Duration // until the next look, from the last one or the event that made it shorter
	isClosed bool
}

// A phase says who draws the line next.
type phase uint8

const (
	resting phase = iota // nobody, as nothing waits
	armed                // the timer, which will call look
	looking              // look is running
)

// A key names a partition of one of the Transports.
type key struct {
	transport int
	partition string
}

// A note is what hooks and looks have found about a partition in which requests wait.
type note struct {
	begun   time.Time // when the first wait since the note was made began
	last    time.Time // when the last wait began
	ceiling time.Time // when the first long wait for the Ceiling began; zero: none
	left    int       // how many shown requests may still wait; 0: none is shown
}

// Show begins to show on w what the requests of the Transports wait for. Call it after all other fields of the Transports
// are set, and before their first use. It sets Trace of each Transport to hooks that first call the previous hooks.
//
// If w is no terminal, Show leaves the Transports alone, and the Line only passes on what is written to it. w is a terminal
// if it has the method Fd, as an [os.File] has, and the operating system says so. Transports that are nil are left out. Of
// several Lines on one terminal each would overwrite the others, so give all Transports to one Line. The Line keeps them
// alive.
func Show(w io.Writer, transports ...*headway.Transport) *Line {
	l := &Line{screen: newScreen(w), notes: map[key]*note{}, delay: interval}
	if !l.screen.isTerminal() {
		return l
	}
	for _, t := range transports {
		if t != nil && !slices.Contains(l.transports, t) {
			t.Trace = headway.JoinTraces(t.Trace, l.trace(len(l.transports)))
			l.transports = append(l.transports, t)
		}
	}
	return l
}

// Write writes p to the writer of the Line. On a terminal it takes the line away before that, and puts it back below if p
// ends with a line feed. It returns what the writer returns. After Close it only writes.
func (l *Line) Write(p []byte) (int, error) { return l.screen.pass(p) }

// Close takes the line away for good. Waits are not shown any more. The Transports, and the writer, can still be used. Close
// returns the error of that last write. It may be called more than once.
func (l *Line) Close() error {
	l.mu.Lock()
	l.isClosed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	return l.screen.draw("")
}

// trace returns the hooks for one of the Transports.
func (l *Line) trace(transport int) *headway.Trace {
	sent := func(_ context.Context, info headway.SentInfo) { l.ended(key{transport, info.Partition}) }
	return &headway.Trace{
		Waiting: func(_ context.Context, info headway.WaitingInfo) { l.began(key{transport, info.Partition}, &info) },
		Sent:    sent, Resent: sent, Abandoned: sent,
		Refused: func(_ context.Context, err *headway.LimitError) { l.ended(key{transport, err.Partition}) },
	}
}

// began notes a wait that begins, and sees to it that somebody looks after it.
func (l *Line) began(k key, info *headway.WaitingInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return
	}
	now, n := clock.Wall(), l.notes[k]
	if n == nil {
		n = &note{begun: now}
		l.notes[k] = n
	}
	n.last = now
	isLong := info.Until.IsZero() || info.Wait >= patience
	if info.Cause == headway.CauseCeiling && isLong && n.ceiling.IsZero() {
		n.ceiling = now
	}
	if l.phase == resting {
		l.arm(interval)
	}
}

// ended notes that a request of the partition does not wait, perhaps any more. If it may be the last one that is shown,
// the line is drawn anew at once, else soon.
func (l *Line) ended(k key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.notes[k]
	if n == nil || n.left == 0 || l.isClosed {
		return
	}
	if n.left--; n.left == 0 {
		l.hurry(0)
	} else {
		l.hurry(soon)
	}
}

// hurry makes the next look come after d at most.
func (l *Line) hurry(d time.Duration) {
	if d >= l.delay {
		return
	}
	l.delay = d
	if l.phase != looking {
		l.arm(d)
	}
}

// arm sets the timer.
func (l *Line) arm(d time.Duration) {
	l.phase = armed
	if l.timer == nil {
		l.timer = clock.After(d, l.look)
		return
	}
	l.timer.Reset(d)
}

// look draws what is waiting now. The timer calls it. Only one look runs at a time, so at most one goroutine waits for a
// terminal that stands still.
func (l *Line) look() {
	if !l.startLook() {
		return
	}
	defer l.endLook()
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	if waiting, ok := l.waiting(); ok {
		_ = l.screen.draw(text(l.screen.columns(), waiting, clock.Wall())) // nothing depends on it
	}
}

// startLook reports false if a look is running already: the timer was set anew just when it went off.
func (l *Line) startLook() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isAlone := l.phase != looking
	l.phase = looking
	return isAlone
}

// endLook sets the timer for the next look, for as long as something waits.
func (l *Line) endLook() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = resting
	if len(l.notes) > 0 && !l.isClosed {
		l.arm(l.delay)
	}
}

// waiting returns the hosts to be shown. It reports false after Close.
func (l *Line) waiting() ([]*host, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return nil, false
	}
	l.delay = interval
	now, shown, still := clock.Wall(), hosts{}, map[key]*note{}
	for i, t := range l.transports {
		for _, s := range t.State() {
			if s.Waiting == 0 {
				continue
			}
			k := key{i, s.Partition}
			n := l.notes[k]
			if n == nil { // its hook comes from the time before the last look
				n = &note{begun: now, last: now}
			}
			still[k], n.left = n, 0
			if since := n.since(&s); !since.IsZero() && now.Sub(since) >= patience {
				n.left = s.Waiting
				shown.add(&s, since)
			}
		}
	}
	for k, n := range l.notes { // a hook is called before its request is in the queue
		if still[k] == nil && now.Sub(n.last) < patience {
			still[k] = &note{begun: n.last, last: n.last}
		}
	}
	l.notes = still
	return shown.ordered(), true
}

// since returns when the longest wait in a partition began; zero if it is not known to be long.
func (n *note) since(s *headway.PartitionState) time.Time {
	switch {
	case s.WaitingSince.IsZero():
		return n.ceiling
	case s.WaitingSince.Before(n.begun): // the call was made then, and the request was sent before it waited
		return n.begun
	}
	return s.WaitingSince
}
