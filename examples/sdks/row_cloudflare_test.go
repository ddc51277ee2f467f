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
	return stainless[*cloudflaresdk.Client, option.RequestOption]{
		sdk: "cloudflare-go v6", answer: `{"success":true,"errors":[],"messages":[],"result":[]}`,
		bare: func(base *http.Client) *cloudflaresdk.Client {
			return cloudflaresdk.NewClient(option.WithAPIToken("key"), option.WithHTTPClient(base))
		},
		recipe: cloudflare.New, retrying: cloudflare.NewRetrying,
		call: func(ctx context.Context, client *cloudflaresdk.Client) error {
			_, err := client.Zones.List(ctx, zones.ZoneListParams{})
			return err
		},
	}.rows()
}
