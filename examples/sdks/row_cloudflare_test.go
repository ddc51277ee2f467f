package sdks_test

import (
	"context"
	"net/http"
	"testing"

	cloudflaresdk "github.com/cloudflare/cloudflare-go/v6"
	"github.com/cloudflare/cloudflare-go/v6/option"
	"github.com/cloudflare/cloudflare-go/v6/zones"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/cloudflare"
)

func cloudflareRows() []row {
	return stainless[*cloudflaresdk.Client, option.RequestOption]{
		sdk: "cloudflare-go v6", answer: `{"success":true,"errors":[],"messages":[],"result":{"id":"1"}}`,
		bare: func(base *http.Client) *cloudflaresdk.Client {
			return cloudflaresdk.NewClient(option.WithAPIToken("key"), option.WithHTTPClient(base))
		},
		recipe: cloudflare.New, retrying: cloudflare.NewRetrying,
		call: func(ctx context.Context, client *cloudflaresdk.Client) error {
			_, err := client.Zones.New(ctx, zones.ZoneNewParams{Name: cloudflaresdk.F("example.com")})
			return err
		},
		timeout: option.WithRequestTimeout,
		response: func(t *testing.T, err error) *http.Response {
			t.Helper()
			var status *cloudflaresdk.Error
			require.ErrorAs(t, err, &status)
			require.Equal(t, http.StatusTooManyRequests, status.StatusCode)
			return status.Response
		},
	}.rows()
}
