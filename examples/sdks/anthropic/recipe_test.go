package anthropic_test

import (
	"context"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/anthropic"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
)

// Twice as many calls as the limit on output tokens allows at once all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	byTokens := limits(api.Handler, 60, 1800, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := anthropic.New("key", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error { return ask(ctx, client) }, api.Handler, byTokens)
}
