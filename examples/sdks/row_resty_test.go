package sdks_test

import (
	"context"
	"net/http"

	sdk "github.com/go-resty/resty/v2"

	"github.com/headway-go/headway/examples/sdks/resty"
)

func restyRows() []row {
	bare := func(transport http.RoundTripper) *sdk.Client { return sdk.New().SetTransport(transport) }
	retrying := func(transport http.RoundTripper) *sdk.Client { return bare(transport).SetRetryCount(3) }
	return []row{
		restyRow("resty v2", asItIs, bare), restyRow("resty v2, `SetRetryCount(3)`", asItIs, retrying),
		restyRow("resty v2", "`New`", resty.New), restyRow("resty v2", "`NewRetrying`", resty.NewRetrying),
	}
}

func restyRow(name, use string, client func(http.RoundTripper) *sdk.Client) row {
	r := row{sdk: name, use: use, answer: "{}"}
	r.client = func(transport http.RoundTripper) func(context.Context) error { return gettingBy(client(transport)) }
	if use != asItIs {
		r.timed = func(transport http.RoundTripper) func(context.Context) error {
			return gettingBy(client(transport).SetTimeout(patience))
		}
	}
	return r
}

func gettingBy(client *sdk.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		resp, err := client.R().SetContext(ctx).Get("https://api.example.com/items")
		if err != nil {
			return err
		}
		return statusError(resp.RawResponse)
	}
}
