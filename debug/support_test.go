package debug_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
	"github.com/headway-go/headway/ratelimittest"
)

// api returns a network in which each client may send 100 requests per minute.
func api() *ratelimittest.Transport {
	return &ratelimittest.Transport{
		Handler: &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, Dialect: ratelimittest.Draft10},
	}
}

// sampled returns a Transport that has sent a request to api.example.com.
func sampled(t *testing.T) *headway.Transport {
	t.Helper()
	transport := &headway.Transport{Base: api()}
	send(t, transport, "https://api.example.com/")
	return transport
}

func send(t *testing.T, transport http.RoundTripper, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

// reportOf returns h's JSON. It fails if the JSON has members that a Report does not have.
func reportOf(t *testing.T, h http.Handler, target string) debug.Report {
	t.Helper()
	answer := ask(t, h, "GET", target)
	require.Equal(t, http.StatusOK, answer.Code)
	decoder := json.NewDecoder(answer.Body)
	decoder.DisallowUnknownFields()
	var report debug.Report
	require.NoError(t, decoder.Decode(&report))
	_, err := decoder.Token()
	require.ErrorIs(t, err, io.EOF)
	return report
}

func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, begin)
	require.True(t, ok, begin)
	inside, _, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	return inside
}

var tag = regexp.MustCompile(`<[^>]*>`)

// tableOf returns the text of each partition in a page's tables. Between two cells is a bar.
func tableOf(page string) (partitions []string) {
	for _, body := range strings.Split(page, "<tbody")[1:] {
		body, _, _ = strings.Cut("<tbody"+body, "</tbody>")
		for _, end := range []string{"</th>", "</td>", "</li>"} {
			body = strings.ReplaceAll(body, end, " | ")
		}
		text := html.UnescapeString(tag.ReplaceAllString(body, " "))
		partitions = append(partitions, strings.Join(strings.Fields(text), " "))
	}
	return partitions
}
