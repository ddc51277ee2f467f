package openai_test

import (
	"context"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/examples/sdks/openai"
)

// Twice as many calls as the limit on tokens allows at once all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	byTokens := limits(api.Handler, 60, 3000, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := openai.New("key", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error { return complete(ctx, client) }, api.Handler, byTokens)
}
