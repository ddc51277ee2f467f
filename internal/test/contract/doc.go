// Package contract tests that headway keeps the contract of http.RoundTripper: for requests, responses,
// bodies and contexts, with 100,000 requests at once, and over real connections.
package contract
