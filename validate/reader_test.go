package validate_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// TestReaderReadsAsResponse checks that a Reader returns what Response returns, whatever the reused
// memory held before.
func TestReaderReadsAsResponse(t *testing.T) {
	reader := newReader()
	messages := dialects()
	for _, m := range usual() {
		messages[m.name] = m.message
	}
	for name, m := range messages {
		t.Run(name, func(t *testing.T) {
			want := m.read(received, validate.Bounds{})
			for range 3 {
				reading := reader.Read(m.response())
				reading.ReadBody(nil)
				want.ReadBody(nil)
				got := *reading
				require.Len(t, got.Limits, len(want.Limits))
				if len(want.Limits) == 0 {
					got.Limits = want.Limits // an empty slice may be nil or not
				}
				require.Equal(t, want, got)
				reader.Free(reading)
			}
		})
	}
}

// TestUsualResponses checks that a response in a usual form is read as one that has another field besides.
func TestUsualResponses(t *testing.T) {
	messages := usual()
	for _, pair := range []struct{ name, limit, policy string }{
		{"the same numbers twice", `"a";r=5;t=6, "b";r=5;t=6`, `"a";q=10;w=60, "b";q=10;w=60`},
		{"more than a bound", `"a";r=5;t=9000000, "b";r=999999999999999;t=1`, `"a";q=10;w=9000000, "b";q=999999999999999;w=1`},
		{"more than the quota", `"a";r=50;t=600, "b";r=20;t=10`, `"a";q=10;w=60, "b";q=10;w=60`},
		{"the quota in too short a time", `"a";r=10000;t=10, "b";r=1;t=0`, `"a";q=10000;w=1000, "b";q=1;w=1`},
	} {
		messages = append(messages, usualResponse{pair.name, msg(http.StatusOK, date, "RateLimit: "+pair.limit, "RateLimit-Policy: "+pair.policy)})
	}
	for _, m := range messages {
		t.Run(m.name, func(t *testing.T) {
			want := m.read(received, validate.Bounds{})
			m.header.Set("Age", "0")
			require.Equal(t, want, m.read(received, validate.Bounds{}))
		})
	}
}

// TestReadingsAreValidUntilFreed checks that a Reader does not reuse Readings that were not freed.
func TestReadingsAreValidUntilFreed(t *testing.T) {
	reader := newReader()
	pair, trio := usual()[1], usual()[3]
	first, second := reader.Read(pair.response()), reader.Read(trio.response())
	require.Equal(t, pair.read(received, validate.Bounds{}), *first)
	require.Equal(t, trio.read(received, validate.Bounds{}), *second)
}

// TestSilentReadingsAreShared checks that responses without limits use no memory: all of them have one
// Reading.
func TestSilentReadingsAreShared(t *testing.T) {
	reader := newReader()
	for _, resp := range []*http.Response{nil, {}, msg(http.StatusOK, date).response()} {
		reading := reader.Read(resp)
		require.True(t, reading.IsSilent())
		require.Equal(t, validate.Reading{RetryAfter: validate.Unknown}, *reading)
		reader.Free(reading)
		require.Same(t, reading, reader.Read(nil), "it is good for ever")
	}
	for _, m := range usual()[1:] {
		require.False(t, reader.Read(m.response()).IsSilent(), m.name)
	}
}

// TestFreeReadingsKeepNothing checks that a freed Reading keeps no string of the response alive, not even
// of a limit that add dropped.
func TestFreeReadingsKeepNothing(t *testing.T) {
	reader := newReader()
	for name, m := range dialects() {
		t.Run(name, func(t *testing.T) {
			reading := reader.Read(m.response())
			reader.Free(reading)
			for _, l := range reading.Limits[:cap(reading.Limits)] {
				require.Zero(t, l)
			}
		})
	}
}
