package trial_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	// patience bounds the time of a client, and of npm. At the even rate a client needs eight seconds.
	patience = time.Minute
	// mostRefused is how many requests of a job the API may refuse through headway.
	mostRefused = 1
)

// A run is a client's job, as the server and the client saw it.
type run struct {
	tally

	requests, refused int // at the server
	took              time.Duration
}

// A comparison is a client's job without headway, and through it.
type comparison struct {
	client            client
	straight, through run
}

// TestClients lets programs that know nothing of headway call an API that refuses them. Through the proxy all of their
// calls succeed.
func TestClients(t *testing.T) {
	headway, all := buildHeadway(t), kinds(packages(t))
	measured := make([]*comparison, len(all))
	t.Run("all", func(t *testing.T) { // ends when all of its parallel tests have
		for i, k := range all {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel() // they wait most of the time
				measured[i] = compare(t, k.find(t), headway)
			})
		}
	})
	table := clientsTable(measured)
	t.Logf("\n%s", table)
	if !*write {
		return
	}
	require.False(t, t.Failed(), "nothing is written")
	require.NotContains(t, measured, (*comparison)(nil), "nothing is written without all clients")
	writePart(t, "clients", table)
}

// compare lets a client do its job twice, and checks how that went.
func compare(t *testing.T, c client, headway string) *comparison {
	t.Helper()
	straight := startAPI(t)
	result := &comparison{client: c, straight: c.work(t, straight, straight.URL)}
	limited := startAPI(t)
	proxy, url := startHeadway(t, headway, limited.URL)
	result.through = c.work(t, limited, url)
	t.Logf("straight %+v, through headway %+v", result.straight, result.through)

	require.Positive(t, result.straight.refused+result.straight.Failed, "a client that does not run into the limit shows nothing")
	require.Zero(t, result.through.Failed, "failed calls through headway")
	require.LessOrEqual(t, result.through.refused, mostRefused, "refused requests through headway")
	require.Equal(t, requests, result.through.requests-result.through.refused, "allowed requests through headway")
	requireQuiet(t, proxy)
	return result
}

// work lets the client do its job at a URL that leads to the server.
func (c client) work(t *testing.T, server *ratelimittest.Server, url string) run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	line := c.arguments(url)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1") // this machine may reach the web through a proxy
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s says at %s:\n%s", c.name, url, stderr.String())
		}
	})
	begun := time.Now()
	output, err := cmd.Output()
	took := time.Since(begun)
	require.NoError(t, err)
	arrivals := server.Handler.Arrivals()
	return run{tally: c.count(t, string(output)), requests: len(arrivals), refused: len(arrivals.Refused()), took: took}
}

// clientsTable returns the measurements in Markdown. A client that was not there has no line.
func clientsTable(measured []*comparison) string {
	even := requests * window / quota
	table := [][]string{{
		"client", "what it does", "calls", "straight: refused", "straight: failed calls",
		"through headway: refused", "through headway: failed calls", "through headway: took, ÷ even time",
	}}
	for _, m := range measured {
		if m == nil {
			continue
		}
		table = append(table, []string{
			m.client.name, m.client.job, fmt.Sprint(m.straight.Calls),
			fmt.Sprint(m.straight.refused), fmt.Sprint(m.straight.Failed),
			fmt.Sprint(m.through.refused), fmt.Sprint(m.through.Failed),
			fmt.Sprintf("%.1f s, %.2f", m.through.took.Seconds(), m.through.took.Seconds()/even.Seconds()),
		})
	}
	return page.Table(table)
}
