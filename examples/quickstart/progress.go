package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// How often progress is shown on a terminal, and elsewhere.
const (
	liveProgress   = 100 * time.Millisecond
	sparseProgress = 5 * time.Second
)

// progress shows how far the contenders are, until stop is called. On a terminal it rewrites one line.
// Elsewhere it writes a line from time to time.
func (s screen) progress(batch ratelimittest.Batch, contenders []contender) (stop func()) {
	every, before, after := sparseProgress, "", "\n"
	if s.live {
		every, before, after = liveProgress, "\r", "\x1b[K"
	}
	begun := time.Now()
	ticker := time.NewTicker(every)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-ticker.C:
				s.tell(before + s.progressLine(time.Since(begun), batch, contenders) + after)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-gone
		if s.live {
			s.tell("\r\x1b[K")
		}
	}
}

// tell writes text and ignores errors, as nothing depends on it.
func (s screen) tell(text string) { _, _ = s.Write([]byte(text)) }

func (p palette) progressLine(elapsed time.Duration, batch ratelimittest.Batch, contenders []contender) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%5.1f s", elapsed.Seconds())
	for _, c := range contenders {
		arrivals := c.log.Arrivals()
		allowed, refused := len(arrivals.Allowed()), len(arrivals.Refused())
		fmt.Fprintf(&line, "   %s %s %3d, %s", c.name, p.gauge(allowed, batch.Requests), allowed, p.refusals(refused))
	}
	return line.String()
}

// gauge draws n of total as a bar.
func (p palette) gauge(n, total int) string {
	const width = 8
	full := min(n*width/max(total, 1), width)
	return p.paint(green, strings.Repeat("█", full)) + p.paint(dim, strings.Repeat("░", width-full))
}

func (p palette) refusals(n int) string {
	text := fmt.Sprintf("%d refused", n)
	if n == 0 {
		return text
	}
	return p.paint(red, text)
}
