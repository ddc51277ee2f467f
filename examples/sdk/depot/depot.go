// Package depot is a client of the Depot API, an invented API for the stock of a warehouse. It shows how an
// SDK uses headway. A Client stays within the limits that the API reports. Its methods wait instead of
// failing, so callers need neither sleeps nor retries.
//
//	client := depot.New(os.Getenv("DEPOT_TOKEN"))
//	for item, err := range client.Items.List(ctx) {
//
// Errors are *[Error] for an error response of the API, *[headway.LimitError] for a call that would have had
// to wait too long and was not sent, or errors of the network and the context.
package depot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/headway-go/headway"
)

// DefaultBaseURL is the URL of the Depot API.
const DefaultBaseURL = "https://api.depot.example"

// A Client calls the Depot API. Keep one for each token for as long as the program runs, as the Client learns
// the limits. It is safe for concurrent use.
type Client struct {
	Items *Items

	baseURL, token string
	http           *http.Client
}

// An Option changes a setting of New.
type Option func(*Client)

// WithBaseURL sets the URL of the API, for example that of a test server.
func WithBaseURL(url string) Option {
	return func(c *Client) { c.baseURL = strings.TrimSuffix(url, "/") }
}

// WithHTTPClient sets the http.Client, for example one with a proxy or with tracing. The Client uses a copy
// of it, with a headway.Transport on top of its transport. If its transport is a *headway.Transport already,
// the Client uses that. So callers can set its fields, or share it between Clients. A Timeout bounds each
// request including its wait.
func WithHTTPClient(client *http.Client) Option {
	return func(c *Client) { c.http = paced(client) }
}

// New returns a Client that authenticates with token.
func New(token string, options ...Option) *Client {
	c := &Client{baseURL: DefaultBaseURL, token: token, http: paced(&http.Client{})}
	c.Items = &Items{c}
	for _, option := range options {
		option(c)
	}
	return c
}

// paced returns a copy of client that stays within the limits of servers.
func paced(client *http.Client) *http.Client {
	own := *client
	if _, ok := own.Transport.(*headway.Transport); !ok {
		own.Transport = &headway.Transport{Base: own.Transport}
	}
	return &own
}

// call sends in as JSON, unless it is nil, and reads the response into out.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	req, err := c.request(ctx, method, path, in)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err // errors.As finds *headway.LimitError in it
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return newError(resp.StatusCode, body)
	}
	return json.Unmarshal(body, out)
}

func (c *Client) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text) // lets headway send the body again
	}
	req, err := http.NewRequestWithContext(ctx, method, c.baseURL+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}
