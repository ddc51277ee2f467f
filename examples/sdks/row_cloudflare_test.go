package sdks_test

import (
	"context"
	"net/http"

	cloudflaresdk "github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/option"
	"github.com/cloudflare/cloudflare-go/v6/zones"

	"github.com/headway-go/headway/examples/sdks/cloudflare"
)

func cloudflareRows() []row {
	r := row{sdk: "cloudflare-go v6", answer: `{"success":true,"errors":[],"messages":[],"result":[]}`}
	bare, recipe, retrying := r, r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return listing(cloudflaresdk.NewClient(option.WithAPIToken("token"), option.WithHTTPClient(&http.Client{Transport: transport})))
	}
	recipe.use, recipe.client = "`New`", func(transport http.RoundTripper) func(context.Context) error {
		return listing(cloudflare.New("token", transport))
	}
	retrying.use, retrying.client = "`NewRetrying`", func(transport http.RoundTripper) func(context.Context) error {
		return listing(cloudflare.NewRetrying("token", transport))
	}
	retrying.set = refusingWithResponses
	return []row{bare, recipe, retrying}
}

func listing(client *cloudflaresdk.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.Zones.List(ctx, zones.ZoneListParams{})
		return err
	}
}
