package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// inMemory returns both contenders, with servers that work in a synctest bubble.
func inMemory() []contender {
	var servers [2]*ratelimittest.Handler
	var networks [2]*ratelimittest.Transport
	for i := range servers {
		servers[i] = &ratelimittest.Handler{Limiter: newLimiter(), Dialect: ratelimittest.Draft10}
		networks[i] = &ratelimittest.Transport{Handler: servers[i], Latency: time.Millisecond}
	}
	const url = "http://server.test/"
	return []contender{
		retrying(networks[0], url, servers[0]),
		paced(&headway.Transport{Base: networks[1]}, url, servers[1]),
	}
}

var batch = ratelimittest.Batch{Requests: 170, Workers: 16}

func TestRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := race(t.Context(), batch, inMemory())
		require.NoError(t, failures(results))

		naive, paced := results[0].figures(), results[1].figures()
		require.Equal(t, 3*batch.Workers, naive.refused, "every worker runs into every window's end")
		require.Equal(t, batch.Requests+naive.refused, naive.requests)
		require.Equal(t, quota+batch.Workers, naive.busiest)

		require.LessOrEqual(t, paced.refused*100, paced.requests, "at most 1 %% refused")
		require.LessOrEqual(t, paced.later, 11, "at most 2.2 times the even share after the first burst")
		require.Less(t, paced.took, 20*time.Second)
	})
}

func TestShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, status bytes.Buffer
		err := show(t.Context(), screen{Writer: &out}, screen{Writer: &status}, batch, inMemory())
		require.NoError(t, err)
		require.Contains(t, out.String(), "\nrefused                         48 (22.0 %)")
		for line := range strings.Lines(out.String() + status.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), pictureWidth, line)
		}
		require.Contains(t, status.String(), "  5.0 s   retrying ██░░░░░░  50, 16 refused   headway █")
	})
}

func TestShowStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		var out, status bytes.Buffer
		begun := time.Now()
		err := show(ctx, screen{Writer: &out}, screen{Writer: &status, live: true}, batch, inMemory())
		require.EqualError(t, err, "stopped")
		require.Equal(t, 3*time.Second, time.Since(begun))
		require.NotContains(t, out.String(), "finished after")
		require.Contains(t, status.String(), "\r  2.5 s   retrying ")
		require.True(t, bytes.HasSuffix(status.Bytes(), []byte("\r\x1b[K")), "the line is wiped")
	})
}
