package series

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/validate"
)

// The Transport's own hooks are still called, before the event is recorded.
func TestHooksOfTheUser(t *testing.T) {
	set := tallied()
	told := 0
	user := &headway.Trace{Sent: func(context.Context, headway.SentInfo) {
		require.Empty(t, set.all)
		told++
	}}
	transport := &headway.Transport{Base: seriestest.Answering(http.StatusOK), Trace: user}
	require.NoError(t, set.Instrument(transport, ""))
	require.NotSame(t, user, transport.Trace, "it may be shared with other Transports")
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	require.Equal(t, 1, told)
}

// Partitions that are left out are not recorded.
func TestLeftOut(t *testing.T) {
	set := tallied()
	set.Name = func(string) string { return "" }
	trace := seriestest.Instrumented(t, set, seriestest.Answering(http.StatusOK)).Trace
	ctx := t.Context()
	trace.Sent(ctx, headway.SentInfo{})
	trace.Resent(ctx, headway.SentInfo{})
	trace.Throttled(ctx, headway.ThrottledInfo{})
	trace.Refused(ctx, &headway.LimitError{})
	trace.Abandoned(ctx, headway.SentInfo{})
	trace.Reading(ctx, headway.ReadingInfo{})
	trace.Evicted(headway.EvictedInfo{})
	require.Empty(t, set.all)
}

// The word for each validate.Reason is the constant's name.
func TestProblemReasons(t *testing.T) {
	text, err := os.ReadFile("../../validate/problem.go")
	require.NoError(t, err)
	reasons := regexp.MustCompile(`(?m)^\t(\w+) +Reason = "(.*)"$`).FindAllStringSubmatch(string(text), -1)
	require.GreaterOrEqual(t, len(reasons), 10)
	for _, reason := range reasons {
		word := strings.ToLower(regexp.MustCompile(`(\B[A-Z])`).ReplaceAllString(reason[1], "_$1"))
		require.Equal(t, word, problemReason(validate.Reason(reason[2])))
	}
	require.Equal(t, Other, problemReason("new"))
}
