package sdktest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require" //nolint:depguard // only tests import this package

	"github.com/headway-go/headway"
)

// patience is how long a call may wait in the tests of refusals by headway.
const patience = 5 * time.Second

// A Bound is a reason for which headway refuses by itself.
type Bound struct {
	Name     string
	MaxWait  time.Duration // headway's; the test sets it
	Timeout  time.Duration // the client's own; the test sets it
	Deadline time.Duration // of the call's context; 0: none
	Reason   error         // what the refusal is
}

// Bounds runs test once for MaxWait, and once for a deadline.
func Bounds(t *testing.T, test func(t *testing.T, b Bound)) {
	t.Helper()
	MaxWait().Run(t, test)
	Bound{Name: "deadline", Deadline: patience, Reason: context.DeadlineExceeded}.Run(t, test)
}

// MaxWait is the bound of headway's field of that name.
func MaxWait() Bound { return Bound{Name: "MaxWait", MaxWait: patience, Reason: headway.ErrMaxWait} }

// ClientTimeout runs test for the client's own timeout.
func ClientTimeout(t *testing.T, test func(t *testing.T, b Bound)) {
	t.Helper()
	Bound{Name: "the client's timeout", Timeout: patience, Reason: context.DeadlineExceeded}.Run(t, test)
}

// Run runs test in a synctest bubble.
func (b Bound) Run(t *testing.T, test func(t *testing.T, b Bound)) {
	t.Helper()
	t.Run(b.Name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			t.Helper()
			test(t, b)
		})
	})
}

// RequireRefused makes a call that would have to wait for longer than the bound. headway refuses it at once. The SDK
// does not repeat it, and nothing is sent. calls and sent count above and below headway. RequireRefused returns how long the
// call would have waited.
func (b Bound) RequireRefused(t *testing.T, calls, sent *Counter, call func(context.Context) error) (wait time.Duration) {
	t.Helper()
	ctx := t.Context()
	if b.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.Deadline)
		defer cancel()
	}
	calls.Reset()
	sent.Reset()
	begun := time.Now()
	err := call(ctx)
	var limit *headway.LimitError
	require.ErrorAs(t, err, &limit)
	require.ErrorIs(t, err, b.Reason)
	require.Zero(t, time.Since(begun))
	require.Equal(t, 1, calls.Calls())
	require.Zero(t, sent.Calls())
	return limit.Wait
}
