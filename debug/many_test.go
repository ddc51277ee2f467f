package debug_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
)

// A pieceWriter notes the lengths of the pieces in which a response is written.
type pieceWriter struct {
	httptest.ResponseRecorder
	longest, total int
}

func (w *pieceWriter) Write(p []byte) (int, error) {
	w.longest, w.total = max(w.longest, len(p)), w.total+len(p)
	return w.Body.Write(p)
}

func newPieceWriter() *pieceWriter {
	return &pieceWriter{ResponseRecorder: *httptest.NewRecorder()}
}

// crowded returns a Transport with n partitions. Each has a quota of its own.
func crowded(tb testing.TB, n int) *headway.Transport {
	tb.Helper()
	transport := &headway.Transport{
		Base: api(), Partition: func(req *http.Request) string { return "user " + req.Header.Get("User") },
	}
	for i := range n {
		req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "https://api.example.com/", http.NoBody)
		require.NoError(tb, err)
		req.Header.Set("User", strconv.Itoa(i))
		req.Header.Set("Authorization", strconv.Itoa(i))
		resp, err := transport.RoundTrip(req)
		require.NoError(tb, err)
		require.NoError(tb, resp.Body.Close())
	}
	return transport
}

func TestManyPartitions(t *testing.T) {
	const many = 3000
	h := only(crowded(t, many))

	text := ask(t, h, "GET", "/").Body.String()
	require.Len(t, tableOf(text), 200)
	require.Contains(t, text, "The page shows 200 of 3,000 partitions, those with holds and waits first.")
	require.Contains(t, text, "<li>3,000 partitions</li>")

	text = ask(t, h, "GET", "/?filter=user+299").Body.String()
	require.Len(t, tableOf(text), 11, "299 and ten of 2990")
	require.NotContains(t, text, "The page shows")

	w := newPieceWriter()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/?format=json", nil))
	require.LessOrEqual(t, w.longest, 4096, "it is not made as a whole")
	require.Greater(t, w.total, 300_000)
	var report debug.Report
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &report))
	names := make(map[string]bool)
	for _, p := range report.Transports[0].Partitions {
		names[p.Partition] = true
	}
	require.Len(t, names, many)
}
