// Package depot is a client of the Depot API, which keeps the stock of a warehouse
// and does not exist. It shows how an SDK stands on headway: a Client keeps to the
// limits that the API tells, so its methods wait rather than fail, and callers need
// neither sleep nor retry.
//
//	client := depot.New(os.Getenv("DEPOT_TOKEN"))
//	for item, err := range client.Items.List(ctx) {
//
// Errors are *[Error] for what the API answered, *[headway.LimitError] for a call
// that was never sent because it would have had to wait too long, and those of the
// network and the context.
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

// DefaultBaseURL is where the Depot API is.
const DefaultBaseURL = "https://api.depot.example"

// A Client calls the Depot API. Keep one for each token for as long as the program
// runs, because what it learns of the limits is in it. It is safe for concurrent use.
type Client struct {
	Items *Items

	baseURL, token string
	http           *http.Client
}

// An Option changes a Client that New makes.
type Option func(*Client)

// WithBaseURL sets where the API is, such as a test server.
func WithBaseURL(url string) Option {
	return func(c *Client) { c.baseURL = strings.TrimSuffix(url, "/") }
}

// WithHTTPClient sets what sends the requests, for a proxy, say, or for tracing.
// A copy of it is used, with a headway.Transport on top of its own. If that is a
// *headway.Transport already it stays, so that callers can choose its fields, or
// share one between Clients. A Timeout bounds each request with its wait.
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

// paced returns a copy of client that keeps to the limits of servers.
func paced(client *http.Client) *http.Client {
	own := *client
	if _, ok := own.Transport.(*headway.Transport); !ok {
		own.Transport = &headway.Transport{Base: own.Transport}
	}
	return &own
}

// call sends in, if not nil, and reads the answer into out.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	req, err := c.request(ctx, method, path, in)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err // *headway.LimitError is found in it with errors.As
	}
	defer func() { _ = resp.Body.Close() }() // it has been read
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
		body = bytes.NewReader(text) // from which headway can have it again, if it must send it again
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
