package cloudflare_test

import (
	"context"
	"testing"
	"time"

	"github.com/cloudflare/cloudflare-go/v6/option"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/cloudflare"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
)

// Twice as many calls as a window allows all succeed, and none is refused.
func TestRecipe(t *testing.T) {
	api := sdktest.Serve(t, nil, nil)
	limits(api.Handler, 30, time.Second)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	client := cloudflare.New("token", calls, option.WithBaseURL(api.URL))

	sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, func(ctx context.Context) error { return create(ctx, client) }, api.Handler)
}
