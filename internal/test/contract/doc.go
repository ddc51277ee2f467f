// Package contract tests what every http.RoundTripper has to do, and headway with it: what becomes of
// requests, responses, bodies and contexts, also of 100,000 requests at once, and over a wire.
package contract
