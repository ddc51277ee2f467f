package eventlog

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// A server that makes ever new mistakes in its header fields cannot flood the log or memory, nor hide the mistakes of other
// servers. What was logged is forgotten with the partition.
func TestReportedProblemsAreBounded(t *testing.T) {
	logger, out := kit.NewLogger(slog.LevelInfo)
	log := New(logger, new(clock.New()), false)
	logged := func(partition string, i int) bool {
		out.Reset()
		log.Ignored(t.Context(), partition, &validate.Problem{Field: fmt.Sprint("field ", i), Reason: validate.Malformed})
		return out.String() != ""
	}
	for i := range 10 * mostProblems {
		require.Equal(t, i < mostProblems, logged("hostile", i))
		require.False(t, logged("hostile", i))
	}
	require.True(t, logged("other", 0))
	log.Forget("hostile")
	require.True(t, logged("hostile", 0))
	require.False(t, logged("other", 0))
}
