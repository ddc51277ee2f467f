package schedule

import (
	"sync/atomic"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// Settings are shared by all partitions of one Transport. They must not change once a partition has them, except Memory
// and Origins.
type Settings struct {
	Clock   clock.Clock
	Pacer   pacer.Config
	Ceiling *Ceiling // the caller's limit on all requests; nil: none
	Shadow  bool     // delay no request

	Memory  *atomic.Int64    // the estimated bytes of all partitions
	Origins identity.Origins // of all partitions
}
