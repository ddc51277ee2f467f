package observing

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/headway-go/headway"
)

// A diary records all calls of a Trace's hooks, in order.
type diary struct {
	mu      sync.Mutex
	entries []string

	readings  []headway.ReadingInfo
	waits     []headway.WaitingInfo
	sent      []headway.SentInfo
	throttled []headway.ThrottledInfo
	refused   []*headway.LimitError
	evicted   []headway.EvictedInfo
}

// write records an event; after it also in a separate list.
func (d *diary) write(event string, more func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, event)
	more()
}

// trace returns a Trace whose hooks write to the diary and use the Transport, as no lock may be held.
func (d *diary) trace(t *headway.Transport) *headway.Trace {
	return &headway.Trace{
		Reading: func(_ context.Context, i headway.ReadingInfo) {
			t.State()
			d.write("reading", func() { d.readings = append(d.readings, i) })
		},
		Waiting: func(_ context.Context, i headway.WaitingInfo) {
			t.State()
			d.write(fmt.Sprintf("waiting: %s", i.Cause), func() { d.waits = append(d.waits, i) })
		},
		Sent: func(_ context.Context, i headway.SentInfo) {
			t.State()
			d.write("sent", func() { d.sent = append(d.sent, i) })
		},
		Resent: func(_ context.Context, i headway.SentInfo) {
			t.State()
			d.write("resent", func() { d.sent = append(d.sent, i) })
		},
		Throttled: func(_ context.Context, i headway.ThrottledInfo) {
			t.State()
			d.write("throttled", func() { d.throttled = append(d.throttled, i) })
		},
		Refused: func(_ context.Context, err *headway.LimitError) {
			t.State()
			d.write("refused", func() { d.refused = append(d.refused, err) })
		},
		Abandoned: func(_ context.Context, i headway.SentInfo) {
			t.State()
			d.write("abandoned", func() { d.sent = append(d.sent, i) })
		},
		Evicted: func(i headway.EvictedInfo) {
			t.State()
			d.write("evicted", func() { d.evicted = append(d.evicted, i) })
		},
	}
}

// traced returns a Transport over base, and its diary.
func traced(base http.RoundTripper) (*headway.Transport, *diary) {
	d := &diary{}
	transport := &headway.Transport{Base: base, Jitter: -1}
	transport.Trace = d.trace(transport)
	return transport, d
}
