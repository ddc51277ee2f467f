package validate_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A Reader reads what Response reads, whatever was in the memory that it uses again.
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
				told := reader.Read(m.response())
				got := *told
				require.Len(t, got.Limits, len(want.Limits))
				if len(want.Limits) == 0 {
					got.Limits = want.Limits // nil, or memory for some
				}
				require.Equal(t, want, got)
				reader.Free(told)
			}
		})
	}
}

// What nobody has handed back is not used again.
func TestReadingsAreGoodUntilTheyAreFree(t *testing.T) {
	reader := newReader()
	pair, trio := usual()[1], usual()[2]
	first, second := reader.Read(pair.response()), reader.Read(trio.response())
	require.Equal(t, pair.read(received, validate.Bounds{}), *first)
	require.Equal(t, trio.read(received, validate.Bounds{}), *second)
}

// That a response tells nothing costs no memory: all such Readings are one.
func TestSilence(t *testing.T) {
	reader := newReader()
	for _, resp := range []*http.Response{nil, {}, msg(http.StatusOK, date).response()} {
		told := reader.Read(resp)
		require.True(t, told.IsSilent())
		require.Equal(t, validate.Reading{RetryAfter: validate.Unknown}, *told)
		reader.Free(told)
		require.Same(t, told, reader.Read(nil), "it is good for ever")
	}
	for _, m := range usual()[1:] {
		require.False(t, reader.Read(m.response()).IsSilent(), m.name)
	}
}

// A Reading that is handed back keeps nothing of the response alive, not even of a limit that was told twice.
func TestFreeReadingsKeepNothing(t *testing.T) {
	reader := newReader()
	for name, m := range dialects() {
		t.Run(name, func(t *testing.T) {
			told := reader.Read(m.response())
			reader.Free(told)
			for _, l := range told.Limits[:cap(told.Limits)] {
				require.Zero(t, l)
			}
		})
	}
}

// The local clock is asked where Date cannot place a point in time, and once for all of them.
func TestReaderAsksTheClockOnceAtMost(t *testing.T) {
	const epochs = "X-RateLimit-Reset: 1772625630"
	for _, test := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"nothing told", nil, 0},
		{"delays", []string{"X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 4", "X-RateLimit-Reset: 30"}, 0},
		{"an epoch with a Date", []string{date, epochs, "X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 4"}, 0},
		{"an epoch without a Date", []string{epochs, "X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 4"}, 1},
		{"two of them", []string{epochs, "X-Rate-Limit-Limit: 7", "X-Rate-Limit-Reset: 1772625690"}, 1},
		{"a Date years away", []string{"Date: Wed, 04 Mar 2020 12:00:00 GMT", epochs}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			reader := validate.NewReader(validate.Bounds{}, func() time.Time { asked++; return received })
			into := reader.Read(msg(http.StatusOK, test.lines...).response())
			require.Equal(t, test.want, asked)
			for _, l := range into.Limits {
				require.NotEqual(t, time.Duration(validate.Unknown), l.Reset)
			}
		})
	}
}

func TestReaderWithoutClock(t *testing.T) {
	told := validate.NewReader(validate.Bounds{}, nil).Read(msg(http.StatusOK, "X-RateLimit-Reset: 1772625630").response())
	require.Equal(t, []string{"X-RateLimit-Reset: " + string(validate.NoClock)}, problems(*told))
}

func TestReaderIsConcurrent(t *testing.T) {
	reader := newReader()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				for _, m := range usual() {
					told := reader.Read(m.response())
					if want := m.read(received, validate.Bounds{}); len(told.Limits) != len(want.Limits) || told.RetryAfter != want.RetryAfter {
						t.Errorf("%s: %+v instead of %+v", m.name, told, want)
					}
					reader.Free(told)
				}
			}
		})
	}
	all.Wait()
}

// Dates in the usual form are read as net/http reads them, and so is whatever resembles them.
func TestDatesAreReadAsByNetHTTP(t *testing.T) {
	for _, date := range []string{
		"Wed, 04 Mar 2026 12:00:00 GMT", "Sat, 28 Feb 2026 23:59:59 GMT", "Thu, 29 Feb 2024 00:00:00 GMT",
		"Sun, 29 Feb 2026 00:00:00 GMT", "Fri, 31 Apr 2026 00:00:00 GMT", "Wed, 00 Mar 2026 12:00:00 GMT",
		"Wed, 04 Mar 2026 24:00:00 GMT", "Wed, 04 Mar 2026 12:60:00 GMT", "Wed, 04 Mar 2026 12:00:60 GMT",
		"wed, 04 mar 2026 12:00:00 GMT", "edT, 04 Mar 2026 12:00:00 GMT", "Wed, 04 anF 2026 12:00:00 GMT",
		"Wed, 04 Mar 2026 12:00:00 UTC", "Wed, x4 Mar 2026 12:00:00 GMT", "Wed, 04 Mar 20x6 12:00:00 GMT",
		"Wednesday, 04-Mar-26 12:00:00 GMT", "Wed Mar  4 12:00:00 2026", "",
	} {
		t.Run(date, func(t *testing.T) {
			const epoch = 1772625630
			m := msg(http.StatusOK, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1772625630")
			m.header["Date"] = []string{date}
			into := validate.NewReader(validate.Bounds{MaxReset: -1}, nil).Read(m.response())
			require.Len(t, into.Limits, 1)
			want := time.Duration(validate.Unknown)
			if at, err := http.ParseTime(date); err == nil {
				want = max(time.Unix(epoch, 0).Sub(at), 0)
			}
			require.Equal(t, want, into.Limits[0].Reset)
		})
	}
}
