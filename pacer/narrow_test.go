package pacer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// The response to an older request, sent before the refused one, reports another limit. It does not free
// any request from the hold.
func TestOlderAnswerFreesNothingFromAHold(t *testing.T) {
	p, cost := pacer.New(&pacer.Config{}), pacer.Cost{Requests: 1, Route: 2}
	const now = pacer.Instant(minute)
	var older, refused pacer.Ticket
	p.Send(now, &cost, &older)
	p.Send(now, &cost, &refused)
	full := limits.Reported{Policy: "full", Quota: 1, Remaining: 0, Window: limits.Unknown, Reset: minute}
	other := limits.Reported{Policy: "other", Quota: 1000, Remaining: 900, Window: 60 * minute, Reset: 60 * minute}
	p.Answered(now, &refused, &pacer.Answer{Limits: []limits.Reported{full}, RetryAfter: minute, Refused: true})
	p.Answered(now, &older, &pacer.Answer{Limits: []limits.Reported{other}, RetryAfter: limits.Unknown})
	p.Release()
	p.Release()
	require.GreaterOrEqual(t, p.Plan(now, 0, &cost).At, now.Add(minute))
}
