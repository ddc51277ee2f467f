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
	isLooking bool             // a timer is to look for long waits
}

// A page is what the log remembers of one partition.
type page struct {
	problems  map[string]struct{} // that were logged
	refusedAt pacer.Instant       // the last line about a request that is not sent
	unlogged  int                 // requests that were not sent since then
	waits     map[*Wait]struct{}  // of requests that wait now
	waitsAt   pacer.Instant       // the last line about a wait
}

const (
	refusedEvery = time.Second // between two lines about requests of one partition that are not sent
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

// Refused writes that a request is not sent. At level Warn is at most one line a second, which says how many more there
// were since the one before.
func (l *Log) Refused(ctx context.Context, partition string, attrs ...slog.Attr) {
	level, now := slog.LevelDebug, l.clock.Now()
	l.mu.Lock()
	p := l.page(partition)
	if isDue(now, p.refusedAt, refusedEvery) {
		if level, p.refusedAt = slog.LevelWarn, now; p.unlogged > 0 {
			attrs = append(attrs, slog.Int("unlogged", p.unlogged))
		}
		p.unlogged = 0
	} else {
		p.unlogged++
	}
	l.mu.Unlock()
	l.Write(ctx, level, l.Does("request is not sent", "request would not be sent"), partition, attrs...)
}

// isDue reports whether the last line was written so long ago, or never.
func isDue(now, last pacer.Instant, every time.Duration) bool {
	return last == 0 || now.Sub(last) >= every
}

// Forget forgets a partition.
func (l *Log) Forget(partition string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pages[partition]; p != nil && len(p.waits) == 0 { // else another partition has that name by now
		delete(l.pages, partition)
	}
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
