package series

import (
	"context"
	"testing"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
)

// A silent Recorder records nothing.
type silent struct{ _ int }

func (*silent) Sent(context.Context, time.Duration)          {}
func (*silent) Resent(context.Context, time.Duration)        {}
func (*silent) Abandoned(context.Context, time.Duration)     {}
func (*silent) Ended(context.Context, string, headway.Cause) {}
func (*silent) Throttled(context.Context, string, int)       {}
func (*silent) Refused(context.Context, string, string)      {}
func (*silent) Ignored(context.Context, string)              {}
func (*silent) Evicted(string)                               {}

func BenchmarkRoundTrip(b *testing.B) {
	seriestest.Benchmark(b, "hooks=none", nil)
	seriestest.Benchmark(b, "hooks=silent", &Set[*silent]{
		MaxPartitions: 1, New: func(string, string) *silent { return &silent{} },
	})
}
