package cloudflare_test

import (
	"context"
	"net/http"
	"time"

	cloudflaresdk "github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/zones"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	zone        = `{"success":true,"errors":[],"messages":[],"result":{"id":"023e105f4ecef8ad9ca31a8372d0c353","name":"example.com"}}`
	rateLimited = `{"success":false,"errors":[{"code":971,"message":"Please wait and consider throttling your request speed"}],"messages":[],"result":null}`
)

// limits makes h an API with that many requests per window. It reports the limit in the fields of the IETF
// draft, as Cloudflare does.
func limits(h *ratelimittest.Handler, requests int64, window time.Duration) {
	h.Limiter, h.Dialect = &ratelimittest.FixedWindow{Policy: ratelimittest.Per(requests, window)}, ratelimittest.Draft10
	h.Refuse = sdktest.JSON(http.StatusTooManyRequests, rateLimited)
	h.Next = sdktest.JSON(http.StatusOK, zone)
}

// create makes one call.
func create(ctx context.Context, client *cloudflaresdk.Client) error {
	_, err := client.Zones.New(ctx, zones.ZoneNewParams{
		Account: cloudflaresdk.F(zones.ZoneNewParamsAccount{ID: cloudflaresdk.F("1")}),
		Name:    cloudflaresdk.F("example.com"),
	})
	return err
}
