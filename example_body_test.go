package headway_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
)

// A graphQL layer finds refusals in the bodies of responses with status 200 and gives them status 429. It reads the whole
// body, so it is for APIs with short responses.
type graphQL struct{ base http.RoundTripper }

func (g graphQL) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := g.base.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 10<<20))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte(`"type":"RATE_LIMITED"`)) {
		resp.StatusCode, resp.Status = http.StatusTooManyRequests, "429 Too Many Requests"
	}
	return resp, nil
}

func (g graphQL) Unwrap() http.RoundTripper { return g.base }

// A GraphQL API reports a refusal in the body of a response with status 200. What does a Transport do? It reads status and
// header fields only, so it takes the response for a success. A layer below it can set the status.
func ExampleTransport_limitInBody() {
	api := answeringWith(`{"errors":[{"type":"RATE_LIMITED"}]}`)
	for _, base := range []http.RoundTripper{api, graphQL{api}} {
		transport := &headway.Transport{Base: base, MaxRetries: -1}
		client := &http.Client{Transport: transport}
		fmt.Println(statusOf(client.Post(things, "application/json", strings.NewReader("{}"))))
		fmt.Println("held:", transport.State()[0].HeldUntil.After(time.Now()))
	}
	// Output:
	// 200 OK
	// held: false
	// 429 Too Many Requests
	// held: true
}

type answeringWith string

func (a answeringWith) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a))), Request: req,
	}, nil
}
