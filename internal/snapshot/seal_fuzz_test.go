package snapshot

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// FuzzSealedSnapshot opens snapshots with any content that were sealed with the secret. Afterwards
// requests are still sent or refused.
func FuzzSealedSnapshot(f *testing.F) {
	addSnapshots(f)
	f.Fuzz(func(t *testing.T, lines []byte) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			if err := s.Open(s.keys.sealLines(lines), maxReset); err != nil {
				require.True(t, errors.Is(err, ErrDamaged) || errors.Is(err, ErrExpired) || errors.Is(err, ErrFuture), "%v", err)
				require.Empty(t, s.restored)
			}
			p := s.partition(t, "api.example.com")
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				v := &gate.Visit{MaxWait: -1, Called: s.settings.Clock.Now(), Price: gate.Pricer{Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}}}
				refusal, err := p.Enter(ctx, v)
				switch {
				case err != nil:
					require.ErrorIs(t, err, context.DeadlineExceeded)
				case refusal == nil:
					a := left(5)
					v.Answered(ctx, s.settings.Clock.Now(), &a, gate.Response{})
				}
				cancel()
			}
			again := newShelf()
			require.NoError(t, again.Open(s.seal(t), maxReset))
			require.Len(t, again.restored, len(s.saved(s.settings.Clock.Now())))
		})
	})
}

// addSnapshots adds the lines of some servers' snapshots, taken at the time at which each bubble
// begins.
func addSnapshots(f *testing.F) {
	f.Helper()
	f.Add([]byte{})
	f.Add([]byte("\"2000-01-01T00:00:00Z\"\n{}\n{\"Name\":\"\",\"Idle\":-1}\n"))
	several := pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{
		{Policy: "a", Unit: limits.Requests, Quota: 10, Remaining: 5, Window: time.Second, Reset: time.Second},
		{Policy: "b", Unit: "tokens", Quota: 9, Remaining: 0, Window: 9 * time.Second, Reset: 9 * time.Second},
		{Policy: "c", Unit: limits.ConcurrentRequests, Quota: 2, Remaining: 1, Window: pacer.Unknown, Reset: pacer.Unknown},
	}}
	for _, answer := range []pacer.Answer{
		{RetryAfter: pacer.Unknown}, left(0), refused(time.Minute), {Refused: true, Overloaded: true, RetryAfter: time.Second}, several,
	} {
		s := newShelf()
		s.use(f, s.partition(f, "api.example.com"), answer)
		sealed, err := s.keys.seal(time.Unix(946684800, 0), s.saved(s.settings.Clock.Now()))
		require.NoError(f, err)
		_, lines, _ := bytes.Cut(sealed[:len(sealed)-macLength], []byte("\n"))
		f.Add(lines)
	}
}
