package debug_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
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

// parsed parses a page. It calls each for all elements in their order, with the text directly in them.
func parsed(t *testing.T, page string, each func(path []xml.StartElement, text string)) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Strict = false
	decoder.AutoClose = xml.HTMLAutoClose
	decoder.Entity = xml.HTMLEntity
	var path []xml.StartElement
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Copy())
			each(path, "")
		case xml.CharData:
			each(path, string(token))
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func attributes(t *testing.T, page, name string) (values []string) {
	t.Helper()
	parsed(t, page, func(path []xml.StartElement, text string) {
		if text == "" {
			if value := attribute(path[len(path)-1], name); value != "" {
				values = append(values, value)
			}
		}
	})
	return values
}

// tableOf returns the texts of the rows of a page's tables, without the head. Each limit is a cell.
func tableOf(t *testing.T, page string) (partitions [][]string) {
	t.Helper()
	var bodies strings.Builder
	for _, table := range strings.Split(page, "</thead>")[1:] {
		body, _, _ := strings.Cut(table, "</table>")
		bodies.WriteString(body)
	}
	cells := []string{"th", "td", "li"}
	parsed(t, bodies.String(), func(path []xml.StartElement, text string) {
		name := ""
		if len(path) > 0 {
			name = path[len(path)-1].Name.Local
		}
		switch {
		case text == "" && name == "tbody":
			partitions = append(partitions, nil)
		case text == "" && slices.Contains(cells, name) && attribute(path[len(path)-1], "colspan") == "":
			last := &partitions[len(partitions)-1]
			*last = append(*last, "")
		case strings.TrimSpace(text) != "" && slices.ContainsFunc(path, func(e xml.StartElement) bool { return e.Name.Local == "tbody" }):
			last := partitions[len(partitions)-1]
			last[len(last)-1] = strings.TrimSpace(last[len(last)-1] + " " + strings.TrimSpace(text))
		}
	})
	return partitions
}
