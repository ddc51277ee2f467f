package replay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDiscardKeepsWhatWasRead(t *testing.T) {
	reset := errors.New("reset")
	long := strings.Repeat("0123456789abcdef", drainBytes/16)
	for _, test := range []struct {
		name    string
		body    io.Reader
		want    string
		wantErr error
	}{
		{"empty", strings.NewReader(""), "", nil},
		{"small", strings.NewReader("slow down"), "slow down", nil},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(long[:3000])), long[:3000], nil},
		{"just not too large", strings.NewReader(long[1:]), long[1:], nil},
		{"too large", strings.NewReader(long + "end"), long, io.ErrUnexpectedEOF},
		{"endless", readerFunc(func(p []byte) (int, error) { return copy(p, long[:1]), nil }), strings.Repeat("0", drainBytes), io.ErrUnexpectedEOF},
		{"fails", io.MultiReader(strings.NewReader("slow"), iotest.ErrReader(reset)), "slow", reset},
		{"some empty Reads", io.MultiReader(emptyReads(3), strings.NewReader("slow")), "slow", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine stays
				var budget Budget
				body := &trackedBody{Reader: test.body}
				resp := &http.Response{Body: body}
				start := time.Now()
				require.EqualValues(t, len(test.want), budget.Discard(newRequest(t), resp, true))
				require.EqualValues(t, len(test.want), budget.Load())
				require.Zero(t, time.Since(start))
				require.Equal(t, 1, body.closed)
				got, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, test.wantErr)
				require.Equal(t, test.want, string(got))
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

// The resend may use the connection of the refusal.
func TestDiscardLeavesTheConnectionUsable(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush() // so the body is chunked
		_, _ = io.WriteString(w, "slow down")
	}))
	defer server.Close()
	var isReused bool
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { isReused = info.Reused }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, server.URL, http.NoBody)
	require.NoError(t, err)
	for range 2 {
		resp, err := server.Client().Transport.RoundTrip(req)
		require.NoError(t, err)
		(&Budget{}).Discard(req, resp, false)
	}
	require.True(t, isReused)
}

func TestDiscardOfNothing(t *testing.T) {
	var budget Budget
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		resp := &http.Response{Body: body}
		require.Zero(t, budget.Discard(newRequest(t), resp, true))
		require.Equal(t, body, resp.Body)
	}
}

// A body that is not to be kept, or for which there is no room, is read for its connection's sake.
func TestDiscardWithoutKeeping(t *testing.T) {
	for _, test := range []struct {
		name string
		used int64
		keep bool
	}{
		{"nobody needs it", 0, false},
		{"there is no room", budget - 8, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b Budget
			b.Add(test.used)
			body := newTrackedBody("slow down")
			resp := &http.Response{Body: body}
			require.Zero(t, b.Discard(newRequest(t), resp, test.keep))
			require.Equal(t, test.used, b.Load())
			require.Zero(t, body.Reader.(*strings.Reader).Len())
			require.Equal(t, 1, body.closed)
			got, err := io.ReadAll(resp.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Empty(t, got)
		})
	}
}

// The budget bounds what many goroutines keep, and most of it is used.
func TestBudgetIsShared(t *testing.T) {
	var b Budget
	var group sync.WaitGroup
	text, req := strings.Repeat("x", 10_000), newRequest(t)
	for range 1000 {
		group.Go(func() { b.Discard(req, &http.Response{Body: newTrackedBody(text)}, true) })
	}
	group.Wait()
	require.LessOrEqual(t, b.Load(), int64(budget))
	require.Greater(t, b.Load(), int64(budget/2))
}

// A slow body delays neither a resend nor a request whose context has ended, even if its Close
// blocks.
func TestDiscardNeverWaitsForARead(t *testing.T) {
	for _, test := range []struct {
		name  string
		close func(*deafBody) // during a Read
		ends  time.Duration   // of the context
		takes time.Duration
	}{
		{"Close wakes it", (*deafBody).release, time.Hour, lookTime},
		{"Close does not wake it", func(*deafBody) {}, time.Hour, lookTime},
		{"Close waits for it", func(b *deafBody) { <-b.released }, time.Hour, lookTime},
		{"Close panics", func(*deafBody) { panic("broken") }, time.Hour, lookTime},
		{"the context ends", func(*deafBody) {}, 100 * time.Millisecond, 100 * time.Millisecond},
		{"the context has ended", func(*deafBody) {}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.ends)
				defer cancel()
				var budget Budget
				body := &deafBody{close: test.close, closed: make(chan struct{}), released: make(chan struct{})}
				resp := &http.Response{Body: body}
				start := time.Now()
				require.Zero(t, budget.Discard(newRequest(t).WithContext(ctx), resp, true))
				require.Equal(t, test.takes, time.Since(start))
				_, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				<-body.closed
				body.release()
			})
		})
	}
}

// The Read of a deafBody blocks until release, even after Close.
type deafBody struct {
	close            func(*deafBody)
	once             sync.Once
	closed, released chan struct{}
}

func (b *deafBody) Read([]byte) (int, error) {
	<-b.released
	return 0, errors.New("released")
}

func (b *deafBody) Close() error {
	close(b.closed)
	b.close(b)
	return nil
}

func (b *deafBody) release() { b.once.Do(func() { close(b.released) }) }

// A panic of the caller's body reaches the caller's goroutine. The body is closed, and nothing is kept.
func TestDiscardOfABodyThatPanics(t *testing.T) {
	for _, test := range []struct {
		name   string
		body   io.Reader
		panics bool // Close
	}{
		{"Read", io.MultiReader(strings.NewReader("slow"), readerFunc(broken)), false},
		{"Close", strings.NewReader("slow"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var budget Budget
			body := &panicBody{trackedBody{Reader: test.body}, test.panics}
			resp := &http.Response{Body: body}
			require.PanicsWithValue(t, "broken", func() { budget.Discard(newRequest(t), resp, true) })
			require.Equal(t, 1, body.closed)
			require.Zero(t, budget.Load())
		})
	}
}

type panicBody struct {
	trackedBody
	panics bool
}

func (b *panicBody) Close() error {
	_ = b.trackedBody.Close()
	if b.panics {
		panic("broken")
	}
	return nil
}

// A body is complete if it is as long as may be read, and its end comes alone.
func TestDiscardOfAsMuchAsMayBeRead(t *testing.T) {
	whole := bytes.Repeat([]byte("x"), drainBytes)
	for more, wantErr := range []error{nil, io.ErrUnexpectedEOF} {
		resp := &http.Response{StatusCode: 429, Body: io.NopCloser(bytes.NewReader(append(whole, make([]byte, more)...)))}
		var budget Budget
		require.EqualValues(t, drainBytes, budget.Discard(newRequest(t), resp, true))
		got, err := io.ReadAll(resp.Body)
		require.Equal(t, wantErr, err)
		require.Equal(t, whole, got)
	}
}
