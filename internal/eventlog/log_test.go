package eventlog

import (
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/registry"
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

// A wait that goes on in another page, as others were forgotten, leaves nothing behind. A page with waits is not forgotten.
func TestWaitsMoveBetweenPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.New()
		logger, _ := kit.NewLogger(slog.LevelInfo)
		log := New(logger, &c, false)
		for i := range registry.MaxPartitions {
			log.Refused(t.Context(), strconv.Itoa(i))
		}
		p := gate.New(&gate.Settings{Clock: c}, identity.Key{Host: "new"})
		var w Wait
		log.Begin(t.Context(), &w, p, c.Now(), &gate.Wait{Now: c.Now()}) // in the page that all share
		require.Len(t, log.pages[""].waits, 1)
		log.Forget("1")
		log.Begin(t.Context(), &w, p, c.Now(), &gate.Wait{Now: c.Now()})
		log.Forget("new")
		require.Len(t, log.page("new").waits, 1)
		log.End(&w)
		for name, page := range log.pages {
			require.Empty(t, page.waits, name)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.False(t, log.isLooking)
	})
}

// The line about the waits of a partition tells the longest of them.
func TestLongestWaitIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.New()
		logger, out := kit.NewLogger(slog.LevelInfo)
		log := New(logger, &c, false)
		p := gate.New(&gate.Settings{Clock: c}, identity.Key{Host: "api.example.com"})
		var waits [10]Wait
		for i := range waits {
			log.Begin(t.Context(), &waits[i], p, c.Now(), &gate.Wait{Now: c.Now()})
			time.Sleep(time.Millisecond)
		}
		time.Sleep(LongWait)
		synctest.Wait()
		require.Contains(t, out.String(), "waiting=10 longest_wait=1s")
		for i := range waits {
			log.End(&waits[i])
		}
	})
}
