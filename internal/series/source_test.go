package series

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/validate"
)

// The Transport's own hooks are still called, before the event is recorded.
func TestHooksOfTheUser(t *testing.T) {
	set := tallied()
	var told []string
	tell := func(event string) {
		recorded := 0
		if one := set.all[[2]string{"", testPartition}]; one != nil {
			recorded = len(one.events)
		}
		told = append(told, fmt.Sprint(event, " after ", recorded))
	}
	transport := &headway.Transport{
		Base: seriestest.Answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`),
		Trace: &headway.Trace{
			Reading:   func(context.Context, headway.ReadingInfo) { tell("reading") },
			Waiting:   func(context.Context, headway.WaitingInfo) { tell("waiting") },
			Sent:      func(context.Context, headway.SentInfo) { tell("sent") },
			Resent:    func(context.Context, headway.SentInfo) { tell("resent") },
			Throttled: func(context.Context, headway.ThrottledInfo) { tell("throttled") },
			Refused:   func(context.Context, *headway.LimitError) { tell("refused") },
			Abandoned: func(context.Context, headway.SentInfo) { tell("abandoned") },
			Evicted:   func(headway.EvictedInfo) { tell("evicted") },
			Fleet:     func(headway.FleetInfo) { tell("fleet") },
		},
	}
	user := transport.Trace
	require.NoError(t, set.Instrument(transport, ""))
	require.NotSame(t, user, transport.Trace, "it may be shared with other Transports")
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	require.Equal(t, []string{"sent after 0", "reading after 1"}, told)

	told = nil
	trace, ctx := transport.Trace, t.Context()
	trace.Waiting(ctx, headway.WaitingInfo{Partition: testPartition, Policy: "a", Cause: headway.CauseHold})
	trace.Resent(ctx, headway.SentInfo{Partition: testPartition, Waited: time.Second, Held: time.Minute, Policy: "a", Cause: headway.CauseHold})
	trace.Throttled(ctx, headway.ThrottledInfo{Partition: testPartition, Status: 418, Policies: []string{"b", "a"}})
	trace.Refused(ctx, &headway.LimitError{Partition: testPartition, Err: context.DeadlineExceeded})
	trace.Abandoned(ctx, headway.SentInfo{Partition: testPartition, Waited: time.Hour, Held: time.Hour})
	trace.Reading(ctx, headway.ReadingInfo{Partition: testPartition, Reading: validate.Reading{Problems: []*validate.Problem{{Reason: validate.Cached}}}})
	trace.Evicted(headway.EvictedInfo{Partition: testPartition, Full: true})
	trace.Fleet(headway.FleetInfo{})
	require.Equal(t, []string{
		"waiting after 1", "resent after 1", "throttled after 3", "refused after 4", "abandoned after 5", "reading after 6", "evicted after 7", "fleet after 8",
	}, told)
	require.Equal(t, map[string]int{
		"sent": 1, `waited "a" hold`: 1, "resent": 1, `throttled "b" 418`: 1, `refused "" deadline`: 1, "abandoned": 1,
		"ignored cached": 1, "evicted full": 1,
	}, set.events(t, testPartition))
	waited := set.all[[2]string{"", testPartition}].waited
	require.Equal(t, time.Second, waited[OutcomeResent])
	require.Equal(t, time.Hour, waited[OutcomeAbandoned])
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
