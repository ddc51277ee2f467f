package headway

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// A diary has all that the hooks of a Trace were told, in order.
type diary struct {
	mu      sync.Mutex
	entries []string

	readings  []ReadingInfo
	waits     []WaitingInfo
	sent      []SentInfo
	throttled []ThrottledInfo
	refused   []*LimitError
	ignored   []IgnoredInfo
	evicted   []EvictedInfo
}

// write notes an event; after it also in a list of its own.
func (d *diary) write(event string, more func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, event)
	more()
}

// trace has hooks that write into the diary, and use the Transport: no lock may be held.
func (d *diary) trace(t *Transport) *Trace {
	return &Trace{
		Reading: func(_ context.Context, i ReadingInfo) {
			t.State()
			d.write("reading", func() { d.readings = append(d.readings, i) })
		},
		Waiting: func(_ context.Context, i WaitingInfo) {
			t.State()
			d.write(fmt.Sprintf("waiting: %s", i.Cause), func() { d.waits = append(d.waits, i) })
		},
		Sent: func(_ context.Context, i SentInfo) {
			t.State()
			d.write("sent", func() { d.sent = append(d.sent, i) })
		},
		Resent: func(_ context.Context, i SentInfo) {
			t.State()
			d.write("resent", func() { d.sent = append(d.sent, i) })
		},
		Throttled: func(_ context.Context, i ThrottledInfo) {
			t.State()
			d.write("throttled", func() { d.throttled = append(d.throttled, i) })
		},
		Refused: func(_ context.Context, err *LimitError) {
			t.State()
			d.write("refused", func() { d.refused = append(d.refused, err) })
		},
		Abandoned: func(_ context.Context, i SentInfo) {
			t.State()
			d.write("abandoned", func() { d.sent = append(d.sent, i) })
		},
		Ignored: func(_ context.Context, i IgnoredInfo) {
			t.State()
			d.write("ignored", func() { d.ignored = append(d.ignored, i) })
		},
		Evicted: func(i EvictedInfo) {
			t.State()
			d.write("evicted", func() { d.evicted = append(d.evicted, i) })
		},
	}
}

// traced returns a Transport over base that writes a diary.
func traced(base http.RoundTripper) (*Transport, *diary) {
	d := &diary{}
	transport := &Transport{Base: base, Jitter: -1}
	transport.Trace = d.trace(transport)
	return transport, d
}

const testPartition = "https://api.example.com"
