package observing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/pacer"
)

// The log names causes as the constants do.
func TestCausesHaveOneName(t *testing.T) {
	for cause, want := range map[pacer.Cause]headway.Cause{
		pacer.CauseNone: headway.CauseQueue, pacer.CauseHold: headway.CauseHold, pacer.CauseQuota: headway.CauseQuota,
		pacer.CausePace: headway.CausePace, pacer.CauseTrial: headway.CauseTrial, pacer.CauseStart: headway.CauseStart,
		pacer.CausePlaces: headway.CausePlaces,
	} {
		require.EqualValues(t, want, eventlog.Cause(pacer.Plan{Cause: cause}, false))
		require.EqualValues(t, headway.CauseCeiling, eventlog.Cause(pacer.Plan{Cause: cause}, true))
	}
}
