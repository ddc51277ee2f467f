// Package resty is a recipe for using headway with github.com/go-resty/resty.
package resty

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/go-resty/resty/v2"

	"github.com/headway-go/headway"
)

// New returns a client without retries, as resty's own default. transport is a *headway.Transport, or a layer on top of one.
// Keep it for as long as the program runs, and share it between clients.
//
//	client := resty.New(&headway.Transport{})
//
// To bound a call, use Request.SetContext or Client.SetTimeout, which include the wait in headway's queue. What cannot be sent
// in time fails at once: errors.As finds a *headway.LimitError.
func New(transport http.RoundTripper) *resty.Client {
	return resty.NewWithClient(&http.Client{Transport: transport})
}

// NewRetrying is New with three retries after failed connections and server errors. Without a condition, SetRetryCount retries
// after any error, also after headway's own.
func NewRetrying(transport http.RoundTripper) *resty.Client {
	check := headway.CheckRetry(func(_ context.Context, resp *http.Response, err error) (bool, error) { //nolint:bodyclose // resty has read it
		return err != nil || resp.StatusCode >= http.StatusInternalServerError, err
	})
	return New(transport).SetRetryCount(3).AddRetryCondition(func(resp *resty.Response, err error) bool {
		if resp.RawResponse != nil { // its body is closed by now, and says whether the refusal is for good
			resp.RawResponse.Body = io.NopCloser(bytes.NewReader(resp.Body()))
		}
		again, _ := check(resp.Request.Context(), resp.RawResponse, err)
		return again
	})
}
