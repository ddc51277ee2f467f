package schedule

import (
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// Settings are what all partitions of one Transport share. They are not changed once a partition has them, but for what
// is counted and remembered in the last two.
type Settings struct {
	Clock   clock.Clock
	Pacer   pacer.Config
	Ceiling *Ceiling      // over everything that is sent; nil: none
	MaxWait time.Duration // how long a request is kept from the wire at most; negative: not bounded
	Shadow  bool          // requests go whatever is planned

	Memory  *atomic.Int64    // the bytes that all partitions keep, as estimated
	Origins identity.Origins // of all partitions
}
