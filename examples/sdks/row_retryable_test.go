package sdks_test

import (
	"context"
	"errors"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/headway-go/headway/examples/sdks/retryable"
)

func retryableRows() []row {
	return []row{
		{sdk: "go-retryablehttp v0.7", use: asItIs, answer: "{}", client: func(transport http.RoundTripper) func(context.Context) error {
			client := retryablehttp.NewClient()
			client.HTTPClient.Transport, client.Logger = transport, nil
			return getting(client)
		}},
		{sdk: "go-retryablehttp v0.7", use: "`New`", answer: "{}", client: func(transport http.RoundTripper) func(context.Context) error {
			return getting(retryable.New(transport))
		}, timed: func(transport http.RoundTripper) func(context.Context) error {
			client := retryable.New(transport)
			client.HTTPClient.Timeout = patience
			return getting(client)
		}},
	}
}

func getting(client *retryablehttp.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/items", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
		return statusError(resp)
	}
}

// statusError returns an error for an SDK that leaves it to its user to look at the status.
func statusError(resp *http.Response) error {
	if resp.StatusCode >= http.StatusBadRequest {
		return errors.New(resp.Status)
	}
	return nil
}
