package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/test/kit"
)

// FuzzSnapshot restores any data, which is refused and changes nothing. Then it restores data that was sealed with the secret:
// requests go afterwards, or are refused.
func FuzzSnapshot(f *testing.F) {
	for _, fields := range []string{
		"Server: silent", "RateLimit: \"a\";r=0;t=60\nRateLimit-Policy: \"a\";q=60;w=60",
		"RateLimit: \"a\";r=5;t=1, \"b\";r=0;t=9, \"c\";r=1\nRateLimit-Policy: \"b\";q=9;w=9;qu=\"tokens\", \"c\";q=2;qu=\"concurrent-requests\"",
		"Retry-After: 60",
	} {
		f.Add(savedLine(f, fields))
	}
	f.Add([]byte{})
	f.Add([]byte("headway snapshot 4 0123456789abcdef\n"))
	f.Add(bytes.Repeat([]byte("\n"), 100))
	f.Add([]byte(`[{"Name":"","Taken":"2000-01-01T00:00:00Z","Pacer":{}},{"Taken":"9999-12-31T23:59:59Z"},{}]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		synctest.Test(t, func(t *testing.T) {
			transport := &headway.Transport{Base: answers("RateLimit: \"a\";r=5;t=60"), SnapshotKey: kit.Secret()}
			before, err := transport.Snapshot()
			require.NoError(t, err)
			original := bytes.Clone(line)
			require.ErrorIs(t, transport.Restore(line), headway.ErrSnapshot)
			require.Equal(t, original, line)
			require.Empty(t, transport.State())
			after, err := transport.Snapshot()
			require.NoError(t, err)
			require.Equal(t, before, after)

			if err := transport.Restore(sealed(line)); err != nil {
				require.ErrorIs(t, err, headway.ErrSnapshot)
				require.Empty(t, transport.State())
			}
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				if resp, err := kit.Get(ctx, transport, "https://a.example/"); err == nil {
					require.NoError(t, resp.Body.Close())
				} else {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				}
				cancel()
			}
			data, err := transport.Snapshot()
			require.NoError(t, err)
			again := &headway.Transport{SnapshotKey: kit.Secret()}
			require.NoError(t, again.Restore(data))
			require.NotEmpty(t, again.State())
		})
	})
}

const snapshotBegins = "headway snapshot 6\n"

// sealed returns the snapshot with that second line.
func sealed(line []byte) []byte {
	lines := fmt.Sprintf("%s%s\n", snapshotBegins, line)
	return fmt.Appendln([]byte(lines), string(identity.NameKey(kit.Secret()).Of("snapshot", lines)))
}

// savedLine returns the second line of a program's snapshot, as if taken at the time at which a synctest bubble begins.
func savedLine(f *testing.F, fields string) []byte {
	f.Helper()
	transport := &headway.Transport{Base: answers(fields), SnapshotKey: kit.Secret()}
	resp, err := kit.Get(f.Context(), transport, "https://a.example/")
	require.NoError(f, err)
	require.NoError(f, resp.Body.Close())
	snapshot, err := transport.Snapshot()
	require.NoError(f, err)
	lines := bytes.SplitAfter(snapshot, []byte("\n"))
	require.Equal(f, snapshotBegins, string(lines[0]))
	line := bytes.TrimSuffix(lines[1], []byte("\n"))
	require.Equal(f, snapshot, sealed(line))
	return regexp.MustCompile(`"Taken":"[^"]*"`).ReplaceAll(line, []byte(`"Taken":"2000-01-01T00:00:00Z"`))
}

// answers is a Base whose responses have these fields.
func answers(fields string) http.RoundTripper {
	return kit.BaseFunc(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: header(fields)}, nil
	})
}
