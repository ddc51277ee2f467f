// Package eventlog writes the lines of a Transport's log so that many events of a kind make few lines.
package eventlog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// A Log writes to a Logger. New makes one. It is safe for concurrent use, and calls the Logger without a lock held.
type Log struct {
	*slog.Logger
	clock    *clock.Clock
	isShadow bool

	mu        sync.Mutex
	pages     map[string]*page // by partition
	isLooking bool             // a timer is to call look
}

// A page is what the log remembers of one partition.
type page struct {
	problems map[string]struct{} // that were logged

	refusedAt pacer.Instant // the last line about requests that are not sent; 0: none within a second
	unlogged  int           // how many there were since then
	refused   []slog.Attr   // of the last of these

	waits    map[*Wait]struct{} // of requests that wait now
	longest  Wait               // the longest wait since loggedAt that has lasted a second
	loggedAt pacer.Instant      // the last line that requests wait
	isOpen   bool               // no line since then says that it is over
}

const (
	lookEvery    = time.Second // how often a timer looks for lines that are due
	mostProblems = 32          // of one partition at level Info: a server can invent as many as it likes
)

// New returns the Log of a Logger. In a shadow nothing happens to requests, and the lines say so.
func New(logger *slog.Logger, c *clock.Clock, isShadow bool) *Log {
	return &Log{Logger: logger, clock: c, isShadow: isShadow, pages: make(map[string]*page)}
}

// Does returns what happens or, in a shadow, what would happen.
func (l *Log) Does(happens, would string) string {
	if l.isShadow {
		return would
	}
	return happens
}

// Write writes a line about a partition, without attributes that are empty or not known.
func (l *Log) Write(ctx context.Context, level slog.Level, what, partition string, attrs ...slog.Attr) {
	if !l.Enabled(ctx, level) {
		return
	}
	all := []slog.Attr{slog.String("partition", partition)}
	for _, a := range attrs {
		switch a.Value.Any() {
		case "", int64(pacer.Unknown), time.Duration(pacer.Unknown), time.Duration(0):
		default:
			all = append(all, a)
		}
	}
	l.LogAttrs(ctx, level, what, all...)
}

// Ignored writes what is wrong with a header field. Level Info has it once for each partition, since the field is mostly
// wrong in every response. What comes from caches and placeholders is no fault of the server.
func (l *Log) Ignored(ctx context.Context, partition string, problem *validate.Problem) {
	level := slog.LevelDebug
	if problem.Reason != validate.Cached && problem.Reason != validate.Placeholder {
		l.mu.Lock()
		p, key := l.page(partition), problem.Field+" "+string(problem.Reason)
		if _, isKnown := p.problems[key]; !isKnown && len(p.problems) < mostProblems {
			p.problems[key], level = struct{}{}, slog.LevelInfo
		}
		l.mu.Unlock()
	}
	l.Write(ctx, level, "header field is ignored or clamped", partition,
		slog.String("field", problem.Field), slog.String("reason", problem.Error()))
}

// Refused writes that a request is not sent. Of many in a second only the first is at level Warn, and later how many more
// there were.
func (l *Log) Refused(ctx context.Context, partition string, attrs ...slog.Attr) {
	level := slog.LevelDebug
	l.mu.Lock()
	if p := l.page(partition); p.refusedAt == 0 {
		level, p.refusedAt = slog.LevelWarn, l.clock.Now()
		l.lookSoon()
	} else {
		p.unlogged, p.refused = p.unlogged+1, attrs
	}
	l.mu.Unlock()
	l.Write(ctx, level, l.Does("request is not sent", "request would not be sent"), partition, attrs...)
}

// dueRefusals returns what writes how many requests were not sent since the last line about that; nil if none is due.
func (l *Log) dueRefusals(partition string, p *page, now pacer.Instant) func() {
	if p.refusedAt == 0 || now.Sub(p.refusedAt) < lookEvery {
		return nil
	}
	count, attrs := p.unlogged, p.refused
	p.refusedAt, p.unlogged, p.refused = now, 0, nil
	if count == 0 {
		p.refusedAt = 0
		return nil
	}
	return func() {
		l.Write(context.Background(), slog.LevelWarn, l.Does("more requests are not sent", "more requests would not be sent"), partition,
			append([]slog.Attr{slog.Int("count", count)}, attrs...)...)
	}
}

// Forget forgets a partition.
func (l *Log) Forget(partition string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pages, partition)
}

// page returns the page of a partition. Beyond the bound partitions share one page: Forget is not called for the partition
// of a request for which the registry has no room.
func (l *Log) page(partition string) *page {
	p := l.pages[partition]
	if p == nil && len(l.pages) >= registry.MaxPartitions {
		partition, p = "", l.pages[""]
	}
	if p == nil {
		p = &page{problems: make(map[string]struct{}), waits: make(map[*Wait]struct{})}
		l.pages[partition] = p
	}
	return p
}

// lookSoon has look called in a second.
func (l *Log) lookSoon() {
	if !l.isLooking {
		l.isLooking = true
		clock.After(lookEvery, l.look)
	}
}

// look writes the lines that are due, and looks again as long as others may become due.
func (l *Log) look() {
	var due []func()
	l.mu.Lock()
	now := l.clock.Now()
	l.isLooking = false
	for partition, p := range l.pages {
		for _, write := range [...]func(){l.dueRefusals(partition, p, now), l.dueWaits(partition, p, now)} {
			if write != nil {
				due = append(due, write)
			}
		}
		if p.refusedAt > 0 || p.isOpen || len(p.waits) > 0 {
			l.lookSoon()
		}
	}
	l.mu.Unlock()
	for _, write := range due {
		write()
	}
}
