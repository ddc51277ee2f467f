package headway

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

func TestAnswerOf(t *testing.T) {
	requests := validate.Limit{Policy: "a", PartitionKey: "k", Unit: parse.Requests, Quota: 10, Remaining: 5, Window: time.Minute, Reset: time.Second}
	flight := validate.Limit{Policy: "c", Unit: parse.ConcurrentRequests, Quota: 4, Remaining: 2, Window: validate.Unknown, Reset: validate.Unknown}
	tokens := validate.Limit{Policy: "t", Unit: "tokens", Quota: 100, Remaining: 0, Window: time.Minute, Reset: 30 * time.Second}
	points := validate.Limit{Policy: "p", Unit: "points", Quota: 100, Remaining: 0, Window: time.Minute, Reset: 10 * time.Second}
	tokensLeft := tokens
	tokensLeft.Remaining = 1
	pacerRequests := pacer.Limit{Policy: "a", PartitionKey: "k", Quota: 10, Remaining: 5, Window: time.Minute, Reset: time.Second}
	pacerFlight := pacer.Limit{Policy: "c", Concurrent: true, Quota: 4, Remaining: 2, Window: pacer.Unknown, Reset: pacer.Unknown}
	for _, test := range []struct {
		name    string
		reading validate.Reading
		status  int
		want    pacer.Answer
	}{
		{"nothing", validate.Reading{RetryAfter: validate.Unknown}, 200, pacer.Answer{RetryAfter: pacer.Unknown}},
		{
			"limits",
			validate.Reading{RetryAfter: validate.Unknown, Limits: []validate.Limit{requests, flight}},
			200,
			pacer.Answer{RetryAfter: pacer.Unknown, Limits: []pacer.Limit{pacerRequests, pacerFlight}},
		},
		{"refused", validate.Reading{RetryAfter: time.Second, Throttled: true}, 429, pacer.Answer{RetryAfter: time.Second, Refused: true}},
		{"overloaded", validate.Reading{RetryAfter: time.Second, Throttled: true}, 503, pacer.Answer{RetryAfter: time.Second, Refused: true, Overloaded: true}},
		{"plain 503", validate.Reading{RetryAfter: validate.Unknown}, 503, pacer.Answer{RetryAfter: pacer.Unknown}},
		{
			"other unit",
			validate.Reading{RetryAfter: validate.Unknown, Limits: []validate.Limit{tokens, requests}},
			200,
			pacer.Answer{RetryAfter: pacer.Unknown, Limits: []pacer.Limit{pacerRequests}},
		},
		{
			"other unit refuses",
			validate.Reading{RetryAfter: validate.Unknown, Throttled: true, Limits: []validate.Limit{tokens, points}},
			429,
			pacer.Answer{RetryAfter: 30 * time.Second, Refused: true},
		},
		{
			"other unit with some left",
			validate.Reading{RetryAfter: validate.Unknown, Throttled: true, Limits: []validate.Limit{tokensLeft}},
			429,
			pacer.Answer{RetryAfter: pacer.Unknown, Refused: true},
		},
		{
			"other unit and Retry-After",
			validate.Reading{RetryAfter: time.Second, Throttled: true, Limits: []validate.Limit{tokens}},
			429,
			pacer.Answer{RetryAfter: time.Second, Refused: true},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, answerOf(&test.reading, test.status, nil))
		})
	}
}
