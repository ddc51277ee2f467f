package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// recordOf records content whose length is told to net/http; −1: not told.
func recordOf(t *testing.T, source io.Reader, length, most int64, b *budget) *recording {
	t.Helper()
	rec, err := record(&http.Request{ContentLength: length}, withDeadlines(source), most, b)
	require.NoError(t, err)
	return rec
}

// withDeadlines reads source, which supports none.
func withDeadlines(source io.Reader) *deadlineReader {
	return &deadlineReader{Reader: source, control: http.NewResponseController(httptest.NewRecorder())}
}

// Once the response is there, content that was read is not kept any longer.
func TestSettledContentIsDropped(t *testing.T) {
	for _, length := range []int64{-1, 6} {
		b := newBudget(1000)
		rec := recordOf(t, strings.NewReader("abcdef"), length, 100, b)
		first := rec.first()
		_, err := io.ReadFull(first, make([]byte, 6))
		require.NoError(t, err)
		require.EqualValues(t, 994, b.left.Load())
		rec.settle()
		require.EqualValues(t, 1000, b.left.Load())
		_, err = rec.again()
		require.ErrorIs(t, err, errTooLong)
		_, err = first.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		rec.end()
		_, err = first.Read(make([]byte, 1))
		require.ErrorIs(t, err, errSuperseded)
	}
}

// A second reading goes on where the first one waits for the client, and loses nothing.
func TestSecondReadingWhileTheFirstWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, proxy := io.Pipe()
		rec := recordOf(t, client, -1, 4, newBudget(1000))
		first := rec.first()
		got := make(chan error)
		go func() { _, err := first.Read(make([]byte, 10)); got <- err }()
		synctest.Wait() // it waits for the client
		second, err := rec.again()
		require.NoError(t, err)
		whole := make(chan string)
		go func() {
			text, _ := io.ReadAll(second)
			whole <- string(text)
		}()
		synctest.Wait()
		_, err = proxy.Write([]byte("longer"))
		require.NoError(t, err)
		require.ErrorIs(t, <-got, errSuperseded)
		_, err = proxy.Write([]byte(" than kept"))
		require.NoError(t, err)
		require.NoError(t, proxy.Close())
		require.Equal(t, "longer than kept", <-whole)
		_, err = rec.again()
		require.ErrorIs(t, err, errTooLong)
	})
}

// While a later reading may still need what is kept, no more is kept than allowed. The first reading goes on when the request is
// not sent again.
func TestKeptForALaterReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const length = 100 * bufferSize
		rec := recordOf(t, io.LimitReader(zeros{}, length), -1, 1000, newBudget(1<<20))
		first := rec.first()
		_, err := rec.again()
		require.NoError(t, err)
		done := make(chan int64)
		go func() {
			n, _ := io.Copy(io.Discard, first)
			done <- n
		}()
		synctest.Wait()
		require.Equal(t, bufferSize, rec.length)
		rec.settle()
		require.EqualValues(t, length, <-done)
	})
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A client takes from the budget what it has sent, and not what it has announced.
func TestAnnouncedContentTakesNoBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, length, budget = 10, 1 << 20, 2 << 20
		b := newBudget(budget)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range clients {
			content, client := io.Pipe()
			context.AfterFunc(ctx, func() { _ = client.Close() })
			go func() { _, _ = record(&http.Request{ContentLength: length}, withDeadlines(content), length, b) }()
		}
		synctest.Wait()
		require.EqualValues(t, budget-clients*bufferSize, b.left.Load())
		cancel()
		synctest.Wait()
		require.EqualValues(t, budget, b.left.Load())
	})
}

// Trailers are in the request that is sent. So it is not sent again before they are there.
func TestTrailersAndResends(t *testing.T) {
	trailer := http.Header{"X-Sum": nil, "Headway-Secret": {"hunter2"}}
	rec, err := record(&http.Request{ContentLength: -1, Trailer: trailer}, withDeadlines(strings.NewReader("abc")), 100, newBudget(1000))
	require.NoError(t, err)
	first := rec.first()
	_, err = io.ReadFull(first, make([]byte, 3))
	require.NoError(t, err)
	_, err = rec.again()
	require.ErrorIs(t, err, errTooLong)
	_, err = first.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, http.Header{"X-Sum": nil}, trailer)
	_, err = rec.again()
	require.NoError(t, err)
}

// A client whose content cannot be read is at fault, not the upstream.
func TestContentThatFails(t *testing.T) {
	broken := errors.New("broken")
	source := io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken))
	b := newBudget(1000)
	_, err := record(&http.Request{ContentLength: 5}, withDeadlines(source), 100, b)
	var failed *contentError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, broken)
	require.EqualValues(t, 1000, b.left.Load())

	rec := recordOf(t, io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), -1, 100, b)
	_, err = io.ReadAll(rec.first())
	require.ErrorAs(t, err, &failed)
	again, err := rec.again()
	require.NoError(t, err)
	text, err := io.ReadAll(again)
	require.ErrorIs(t, err, broken, "it fails in the same place")
	require.Equal(t, "ab", string(text))
}

// All recordings together keep no more than the budget. What is beyond it passes, and cannot be read again.
func TestBudgetOfRecordings(t *testing.T) {
	b := newBudget(10)
	kept := recordOf(t, strings.NewReader("12345678"), 8, 100, b)
	told := recordOf(t, strings.NewReader("12345678"), 8, 100, b)
	chunked := recordOf(t, iotest.OneByteReader(strings.NewReader("12345678")), -1, 100, b)
	for _, rec := range []*recording{told, chunked} {
		text, err := io.ReadAll(rec.first())
		require.NoError(t, err)
		require.Equal(t, "12345678", string(text))
		_, err = rec.again()
		require.ErrorIs(t, err, errTooLong)
		rec.end()
	}
	again, err := kept.again()
	require.NoError(t, err)
	text, err := io.ReadAll(again)
	require.NoError(t, err)
	require.Equal(t, "12345678", string(text))
	kept.end()
	require.EqualValues(t, 10, b.left.Load())
}

// Whatever the sizes and the moments at which a request is sent again, each reading is the content or an error.
func FuzzRecording(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed, []byte("some content"), int64(seed%25), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text []byte, most int64, isTold bool) {
		rng := rand.New(rand.NewPCG(seed, 1))
		length := int64(-1)
		if isTold && len(text) > 0 {
			length = int64(len(text))
		}
		b := newBudget(1 << 20)
		rec := recordOf(t, iotest.HalfReader(bytes.NewReader(text)), length, most, b)
		reading := rec.first()
		var got []byte
		for reads := 0; ; reads++ {
			p := make([]byte, rng.IntN(9))
			n, err := reading.Read(p)
			got = append(got, p[:n]...)
			if err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
			switch what := rng.IntN(10); {
			case what == 0 && reads < 100: // else long content would never be read to its end
				again, err := rec.again()
				switch {
				case err != nil:
					require.ErrorIs(t, err, errTooLong)
				case rng.IntN(2) == 0:
					reading, got = again, nil
				default: // it is not sent again after all
					rec.settle()
				}
			case what == 1:
				rec.settle()
			}
		}
		require.Equal(t, string(text), string(got))
		rec.end()
		require.EqualValues(t, 1<<20, b.left.Load())
	})
}
