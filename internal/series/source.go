package series

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// A source is a Transport whose events are recorded.
type source[R Recorder] struct {
	group   *group[R]
	removed atomic.Bool
}

// find returns the series of a partition; nil if the partition is left out or t was removed.
func (f *source[R]) find(partition string) *series[R] {
	if f.removed.Load() {
		return nil
	}
	return f.group.find(partition)
}

func (f *source[R]) trace() *headway.Trace {
	return &headway.Trace{
		Sent: f.sent, Resent: f.resent, Throttled: f.throttled,
		Refused: f.refused, Abandoned: f.abandoned, Reading: f.reading, Evicted: f.evicted,
	}
}

func (f *source[R]) sent(ctx context.Context, info headway.SentInfo) {
	if s := f.find(info.Partition); s != nil {
		s.recorder.Sent(ctx, info.Waited)
		s.waited(ctx, info.Policy, info.Cause)
	}
}

func (f *source[R]) resent(ctx context.Context, info headway.SentInfo) {
	if s := f.find(info.Partition); s != nil {
		s.recorder.Resent(ctx, info.Waited)
		s.waited(ctx, info.Policy, info.Cause)
	}
}

func (f *source[R]) abandoned(ctx context.Context, info headway.SentInfo) {
	if s := f.find(info.Partition); s != nil {
		s.recorder.Abandoned(ctx, info.Waited)
		s.waited(ctx, info.Policy, info.Cause)
	}
}

func (f *source[R]) throttled(ctx context.Context, info headway.ThrottledInfo) {
	s := f.find(info.Partition)
	if s == nil {
		return
	}
	policy := ""
	if len(info.Policies) > 0 {
		policy = info.Policies[0] // one response counts once
	}
	s.recorder.Throttled(ctx, s.policy(policy), verdict(info.Verdict), info.Status)
}

// verdict returns a word for a verdict: "only this" has a space, which labels seldom have.
func verdict(v validate.Verdict) string { return strings.ReplaceAll(v.String(), " ", "_") }

// waited records that a wait for a cause is over; "" if there was none.
func (s *series[R]) waited(ctx context.Context, policy string, cause headway.Cause) {
	if cause != "" {
		s.recorder.Ended(ctx, s.policy(policy), cause)
	}
}

func (f *source[R]) refused(ctx context.Context, err *headway.LimitError) {
	s := f.find(err.Partition)
	if s == nil {
		return
	}
	reason := "max_wait"
	if errors.Is(err, context.DeadlineExceeded) {
		reason = "deadline"
	}
	s.recorder.Refused(ctx, s.policy(err.Policy), reason)
	if err.Waited > 0 {
		s.waited(ctx, err.Policy, err.Cause)
	}
}

func (f *source[R]) reading(ctx context.Context, info headway.ReadingInfo) {
	if len(info.Reading.Problems) == 0 {
		return
	}
	if s := f.find(info.Partition); s != nil {
		for _, problem := range info.Reading.Problems {
			s.recorder.Ignored(ctx, problemReason(problem.Reason))
		}
	}
}

func (f *source[R]) evicted(info headway.EvictedInfo) {
	s := f.find(info.Partition)
	if s == nil {
		return
	}
	reason := "idle"
	if info.Full {
		reason = "full"
	}
	s.recorder.Evicted(reason)
}

// problemReason returns a word for a validate.Reason, whose text may change between versions.
func problemReason(reason validate.Reason) string {
	for _, row := range [...]struct {
		reason validate.Reason
		word   string
	}{
		{validate.Malformed, "malformed"},
		{validate.Cached, "cached"},
		{validate.TooLong, "too_long"},
		{validate.TooMany, "too_many"},
		{validate.TooFast, "too_fast"},
		{validate.NoClock, "no_clock"},
		{validate.TooFar, "too_far"},
		{validate.Doubted, "doubted"},
		{validate.Placeholder, "placeholder"},
		{validate.Repeated, "repeated"},
		{validate.Crowded, "crowded"},
	} {
		if row.reason == reason {
			return row.word
		}
	}
	return Other
}
