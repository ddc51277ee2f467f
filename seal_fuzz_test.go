package headway

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzSealedSnapshot restores what somebody wrote who has the key. Whatever it is,
// requests are sent or refused as always.
func FuzzSealedSnapshot(f *testing.F) {
	addSnapshots(f)
	f.Fuzz(func(t *testing.T, lines []byte) {
		synctest.Test(t, func(t *testing.T) {
			base := inTurn(status(200, "RateLimit", `"minute";r=5;t=6`), usedUp())
			transport := warmed(t, base, nil)
			transport.once.Do(transport.start)
			keys := &transport.partitions.shelf.keys
			sealed := append([]byte(keys.header()), lines...)
			sealed = append(sealed, keys.mac(sealed)...)
			if err := transport.Restore(sealed); err != nil {
				require.True(t, errors.Is(err, ErrSnapshotDamaged) || errors.Is(err, ErrSnapshotExpired) || errors.Is(err, ErrSnapshotFuture), "%v", err)
				require.Empty(t, transport.partitions.shelf.restored)
			}
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				resp, err := get(ctx, transport, testURL)
				cancel()
				var limit *LimitError
				if err == nil {
					require.NoError(t, resp.Body.Close())
				} else {
					require.True(t, errors.As(err, &limit) || errors.Is(err, context.DeadlineExceeded), "%v", err)
				}
			}
			again := warmed(t, base, takeSnapshot(t, transport))
			require.Len(t, again.partitions.shelf.restored, len(transport.partitions.saved(transport.clock().Now())))
		})
	})
}

// addSnapshots adds the lines of snapshots of some servers, taken at the time at
// which each bubble begins.
func addSnapshots(f *testing.F) {
	f.Helper()
	f.Add([]byte{})
	f.Add([]byte("\"2000-01-01T00:00:00Z\"\n{}\n{\"Name\":\"\",\"Idle\":-1}\n"))
	for _, answer := range []func(*http.Request) *http.Response{
		status(200), usedUp(), status(429, "Retry-After", "60"), status(503, "Retry-After", "1"),
		status(200, "RateLimit", `"a";r=5;t=1, "b";r=0;t=9, "c";r=1`, "RateLimit-Policy", `"a";q=10;w=1, "b";q=9;w=9;qu="tokens", "c";q=2;qu="concurrent-requests"`),
	} {
		transport := &Transport{Base: inTurn(answer), SnapshotKey: testSecret(), MaxRetries: -1}
		resp, err := get(f.Context(), transport, testURL)
		require.NoError(f, err)
		require.NoError(f, resp.Body.Close())
		now, _ := transport.clock().Read()
		sealed, err := transport.partitions.shelf.keys.seal(time.Unix(946684800, 0), transport.partitions.saved(now))
		require.NoError(f, err)
		_, lines, _ := bytes.Cut(sealed[:len(sealed)-macLength], []byte("\n"))
		f.Add(lines)
	}
}
