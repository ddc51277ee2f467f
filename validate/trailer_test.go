package validate_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// fields returns the header with these lines, such as "RateLimit: a;r=1".
func fields(lines ...string) http.Header { return msg(http.StatusOK, lines...).response().Header }

// readTrailer reads the trailer of a response as a copy.
func readTrailer(resp *http.Response, since time.Duration) validate.Reading {
	reader := newReader()
	reading := reader.ReadTrailer(resp, since)
	defer reader.Free(reading)
	got := *reading
	got.Limits = append(got.Limits[:0:0], reading.Limits...)
	return got
}

// TestTrailerIsReadAsTheHeader checks that limits are the same in a trailer.
func TestTrailerIsReadAsTheHeader(t *testing.T) {
	for name, m := range dialects() {
		t.Run(name, func(t *testing.T) {
			resp := m.response()
			want := m.read(received, validate.Bounds{})
			resp.Trailer, resp.Header = resp.Header, http.Header{"Date": resp.Header["Date"]}
			got := readTrailer(resp, 0)
			require.Len(t, got.Limits, len(want.Limits))
			for i := range want.Limits {
				require.Equal(t, want.Limits[i], got.Limits[i])
			}
			require.False(t, got.Throttled)
			require.EqualValues(t, validate.Unknown, got.RetryAfter)
		})
	}
}

func TestTrailer(t *testing.T) {
	const used = `RateLimit: "a";r=0;t=30`
	for _, test := range []struct {
		name    string
		status  int
		header  http.Header
		trailer http.Header
		since   time.Duration
		reset   time.Duration // of the limit that is used up; Unknown: no limit
		problem validate.Reason
	}{
		{"nothing", 200, nil, nil, 0, validate.Unknown, ""},
		{"announced, and not sent", 200, nil, http.Header{"Ratelimit": nil}, 0, validate.Unknown, ""},
		{"a limit", 200, nil, fields(used), time.Hour, 30 * time.Second, ""},
		{"an instant", 200, fields(date), fields("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1772625660"), 20 * time.Second, 40 * time.Second, ""},
		{"an instant and an Age", 200, fields(date, "Age: 0"), fields("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1772625660"), -time.Hour, time.Minute, ""},
		{"of a refusal", 429, nil, fields("X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 30"), 0, 30 * time.Second, ""},
		{"of a success", 200, nil, fields("X-RateLimit-Remaining: -1"), 0, validate.Unknown, validate.Placeholder},
		{"malformed", 200, nil, fields(`RateLimit: "`), 0, validate.Unknown, validate.Malformed},
		{"cached", 200, fields("Age: 9"), fields(used), 0, validate.Unknown, validate.Cached},
		{"cached in the client", 200, fields("X-From-Cache: 1"), fields(used), 0, validate.Unknown, validate.Cached},
		{"an Age of its own", 200, nil, fields(used, "Age: 9", "X-From-Cache: 1"), 0, 30 * time.Second, ""},
		{"a wait", 200, nil, fields("Retry-After: 9"), 0, validate.Unknown, validate.InTrailer},
		{"a fine wait", 200, nil, fields("Retry-After-Ms: 9"), 0, validate.Unknown, validate.InTrailer},
		{"a wait by another name", 200, nil, fields("X-Retry-After: 9"), 0, validate.Unknown, validate.InTrailer},
		{"a wait for a limit", 429, nil, fields("Retry-After-Tokens: 9"), 0, validate.Unknown, validate.InTrailer},
		{"too long", 200, nil, fields(`RateLimit: "a";r=0;t=999999999999`), 0, validate.DefaultMaxReset, validate.TooLong},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp := &http.Response{StatusCode: test.status, Header: test.header, Trailer: test.trailer}
			got := readTrailer(resp, test.since)
			if test.reset == validate.Unknown {
				require.Empty(t, got.Limits)
			} else {
				require.Len(t, got.Limits, 1)
				require.Zero(t, got.Limits[0].Remaining)
				require.Equal(t, test.reset, got.Limits[0].Reset)
			}
			if test.problem == "" {
				require.Empty(t, got.Problems)
			} else {
				require.Len(t, got.Problems, 1)
				require.Equal(t, test.problem, got.Problems[0].Reason)
			}
			require.False(t, got.Throttled)
			require.False(t, got.Unproven)
			require.EqualValues(t, validate.Unknown, got.RetryAfter)
		})
	}
	require.True(t, newReader().ReadTrailer(nil, 0).IsSilent())
}

// TestTrailerUsesTheProfile checks that a profile adds the windows that a trailer leaves out.
func TestTrailerUsesTheProfile(t *testing.T) {
	m := msg(http.StatusOK)
	m.url = "https://www.reddit.com/r/all"
	resp := m.response()
	resp.Trailer = fields("X-RateLimit-Remaining: 5", "X-RateLimit-Used: 5", "X-RateLimit-Reset: 30")
	require.Equal(t, 10*time.Minute, readTrailer(resp, 0).Limits[0].Window)
}
