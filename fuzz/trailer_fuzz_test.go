package fuzz

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// FuzzTrailer checks that a trailer is bounded as a header is, that it never refuses, and that it reports
// the limits that the same fields in a header would.
func FuzzTrailer(f *testing.F) {
	narrow := validate.Bounds{MaxReset: 50 * time.Second, MaxQuota: 100, MaxRate: 5}
	for _, b := range []validate.Bounds{{}, narrow} {
		for _, text := range append(hostileHeaders(), responses(f)...) {
			f.Add("Date: Wed, 04 Mar 2026 12:00:00 GMT", text, http.StatusOK, int64(0), int64(b.MaxReset), b.MaxQuota, b.MaxRate)
			f.Add(text, text, http.StatusTooManyRequests, int64(math.MaxInt64), int64(b.MaxReset), b.MaxQuota, b.MaxRate)
			f.Add("Age: 5", text, http.StatusForbidden, int64(-1), int64(b.MaxReset), b.MaxQuota, b.MaxRate)
		}
	}
	f.Fuzz(func(t *testing.T, head, text string, status int, since, maxReset, maxQuota int64, maxRate float64) {
		resp := &http.Response{StatusCode: status, Header: header(head), Trailer: header(text)}
		sent := resp.Trailer.Clone()
		b := validate.Bounds{MaxReset: time.Duration(maxReset), MaxQuota: maxQuota, MaxRate: maxRate}
		reader := validate.NewReader(b, nil)
		got := reader.ReadTrailer(resp, time.Duration(since))
		require.Equal(t, sent, resp.Trailer, "the trailer was changed")
		checkReading(t, *got, resolved(b))
		require.False(t, got.Throttled || got.Unproven)
		require.EqualValues(t, validate.Unknown, got.RetryAfter)
		for _, problem := range got.Problems {
			require.NotEmpty(t, problem.Field)
		}

		// The same fields in a header, with the Date, Age and X-From-Cache of this header.
		same := resp.Trailer.Clone()
		for _, name := range []string{"Date", "Age", "X-From-Cache"} {
			delete(same, name)
		}
		if status < http.StatusBadRequest && since == 0 && len(resp.Header) == 0 && len(same) == len(resp.Trailer) {
			want := reader.Read(&http.Response{StatusCode: status, Header: same})
			require.Equal(t, append(want.Limits[:0:0], want.Limits...), append(got.Limits[:0:0], got.Limits...))
			reader.Free(want)
		}
		reader.Free(got)
	})
}
