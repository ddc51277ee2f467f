package main

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// inMemory returns the keys, with servers that work in a synctest bubble.
func inMemory() []*key {
	keys := newKeys()
	for _, k := range keys {
		k.url = &url.URL{Scheme: "http", Host: k.name + ".test"}
		k.base = &ratelimittest.Transport{Handler: k, Latency: time.Millisecond}
	}
	return keys
}

// All quotas are used, nothing is refused, and the program sees nothing of the key that was revoked.
func TestShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		keys := inMemory()
		require.NoError(t, show(t.Context(), &out, keys))
		t.Logf("\n%s", &out)
		r := result{keys: keys}
		for _, k := range keys {
			require.Empty(t, k.server.Arrivals().Refused(), k.name)
			require.Greater(t, r.used(k), 0.85, k.name)
		}
		require.Greater(t, len(keys[1].denied), 2, "trials")
		require.Contains(t, out.String(), "the program has seen: 0\n")
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, len([]rune(line)), 100, line)
		}
	})
}

func TestShowStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.EqualError(t, show(ctx, new(bytes.Buffer), inMemory()), "stopped")
	})
}
