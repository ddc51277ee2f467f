package fuzz

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func FuzzHeader(f *testing.F) {
	addHeaders(f)
	f.Add("X-RateLimit-Max: a\nX-RateLimit-Limit: b\nx-ratelimit-max: c\nx-ratelimit-limit: d")
	f.Fuzz(func(t *testing.T, response string) {
		h := header(response)
		got := parse.Header(h)
		require.Equal(t, got, parse.Header(h), "whatever the order of the map")
		checkFields(t, h, got)
		checkCase(t, h)
		checkWords(t, h)
		checkDropped(t, h, got)
	})
}
