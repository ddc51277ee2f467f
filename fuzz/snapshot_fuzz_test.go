package fuzz

import (
	"bytes"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// FuzzSnapshot checks that Restore refuses any data, and changes nothing. The sealed snapshots are from the future, as the
// clock of a synctest bubble begins in 2000.
func FuzzSnapshot(f *testing.F) {
	key := []byte("a secret of the program's")
	sealed := takenSnapshot(f, key)
	f.Add(sealed)
	f.Add(sealed[:len(sealed)/2])
	f.Add([]byte{})
	f.Add([]byte("headway snapshot 6\n[]\n"))
	f.Add([]byte("headway snapshot 4 0123456789abcdef\n"))
	f.Add(bytes.Repeat([]byte("\n"), 100))
	f.Add(takenSnapshot(f, []byte("a secret of another's")))
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			transport := &headway.Transport{SnapshotKey: key}
			before, err := transport.Snapshot()
			require.NoError(t, err)
			original := bytes.Clone(data)
			err = transport.Restore(data)
			require.Equal(t, original, data)
			require.ErrorIs(t, err, headway.ErrSnapshot)
			require.Empty(t, transport.State())
			after, err := transport.Snapshot()
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	})
}

// takenSnapshot returns the snapshot of a program that sent one request.
func takenSnapshot(f *testing.F, key []byte) []byte {
	f.Helper()
	transport := &headway.Transport{Base: fixedResponse{}, SnapshotKey: key}
	req, err := http.NewRequestWithContext(f.Context(), http.MethodGet, "https://a.example/", http.NoBody)
	require.NoError(f, err)
	resp, err := transport.RoundTrip(req)
	require.NoError(f, err)
	require.NoError(f, resp.Body.Close())
	snapshot, err := transport.Snapshot()
	require.NoError(f, err)
	return snapshot
}

// fixedResponse is a Base that always returns the same response.
type fixedResponse struct{}

func (fixedResponse) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Body: http.NoBody,
		Header: header("RateLimit: \"a\";r=0;t=60\nRateLimit-Policy: \"a\";q=60;w=60"),
	}, nil
}
