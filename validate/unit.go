package validate

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// longDoubt is the longest time to a reset that a number without a unit reports: 60000 may be 60,000 seconds or a minute.
// Longer: clients of servers that count milliseconds stop for hours. Shorter: windows of an hour have to be measured.
const longDoubt = time.Hour

// reset returns the time to a -Reset of the limit l.
func (r *reader) reset(from *source, l *limits.Reported, w *parse.When) time.Duration {
	if !w.Bare || w.After <= 0 {
		return r.delay(from, w)
	}
	p := r.profile
	isExplained := p.ResetUnit > 0 || l.Window != Unknown && within(w.After, l.Window)
	if r.doubts && w.After > longDoubt && !isExplained {
		r.problem(from.names.Reset, Doubted)
		return Unknown
	}
	return p.resetDelay(w.After)
}
