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

// A graphQL layer gives limits that come with status 200 the status that they have anywhere
// else. It reads the whole body, so it is for APIs of short answers.
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

// A GraphQL API tells a limit in the body of a response with status 200. A Transport goes by
// status and header fields, and takes it for a success. A layer below it says otherwise.
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
