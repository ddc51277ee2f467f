// Package contract tests that headway keeps the contract of http.RoundTripper: for requests, responses, bodies and
// contexts, with 100,000 requests at once, over real connections, and above and below other layers that pace or retry.
package contract
