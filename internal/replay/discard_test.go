package replay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDiscardKeepsWhatWasRead(t *testing.T) {
	text := func(n int) string { return strings.Repeat("0123456789abcdef", n/16+1)[:n] }
	reset := iotest.ErrReader(errors.New("reset"))
	for _, test := range []struct {
		name    string
		body    io.Reader
		want    string
		wantErr error
	}{
		{"empty", strings.NewReader(""), "", nil},
		{"small", strings.NewReader("slow down"), "slow down", nil},
		{"with EOF", iotest.DataErrReader(strings.NewReader("slow down")), "slow down", nil},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(text(3000))), text(3000), nil},
		{"a chunk", strings.NewReader(text(chunk)), text(chunk), nil},
		{"some chunks", strings.NewReader(text(3*chunk + 1)), text(3*chunk + 1), nil},
		{"just not too large", strings.NewReader(text(drainBytes)), text(drainBytes), nil},
		{"just not too large, with EOF", iotest.DataErrReader(strings.NewReader(text(drainBytes))), text(drainBytes), nil},
		{"too large", strings.NewReader(text(drainBytes + 1)), text(drainBytes), io.ErrUnexpectedEOF},
		{"too large, with EOF", iotest.DataErrReader(strings.NewReader(text(drainBytes + 1))), text(drainBytes), io.ErrUnexpectedEOF},
		{"endless", readerFunc(func(p []byte) (int, error) { return copy(p, text(drainBytes)[:len(p)]), nil }), text(drainBytes), io.ErrUnexpectedEOF},
		{"fails at once", reset, "", io.ErrUnexpectedEOF},
		{"fails", io.MultiReader(strings.NewReader("slow"), reset), "slow", io.ErrUnexpectedEOF},
		{"some empty Reads", io.MultiReader(&emptyReads{n: 3}, strings.NewReader("slow")), "slow", nil},
		{"many empty Reads", io.MultiReader(&emptyReads{n: 60}, strings.NewReader("slow"), &emptyReads{n: 60}, strings.NewReader(" down")), "slow down", nil},
		{"nothing but empty Reads", io.MultiReader(strings.NewReader("slow"), &emptyReads{n: 1 << 30}), "slow", io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine stays
				var budget Budget
				body := &trackedBody{Reader: test.body}
				resp := &http.Response{Body: body}
				start := time.Now()
				buffer := budget.Discard(newRequest(t), resp, true)
				require.Zero(t, time.Since(start))
				require.Equal(t, 1, body.closed)
				require.LessOrEqual(t, cap(buffer.data), len(test.want), "no larger than it need be")
				require.EqualValues(t, len(test.want), budget.Used())
				buffer.Free()
				require.Zero(t, budget.Used())

				got, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, test.wantErr)
				require.Len(t, got, len(test.want))
				require.Equal(t, test.want, string(got))
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

func TestDiscardOfNothing(t *testing.T) {
	var budget Budget
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		resp := &http.Response{Body: body}
		buffer := budget.Discard(newRequest(t), resp, true)
		require.Equal(t, body, resp.Body)
		buffer.Free()
		require.Zero(t, budget.Used())
	}
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
		{"Close wakes it", (*deafBody).release, time.Hour, aheadTime},
		{"Close does not wake it", func(*deafBody) {}, time.Hour, aheadTime},
		{"Close waits for it", func(b *deafBody) { <-b.released }, time.Hour, aheadTime},
		{"Close panics", func(*deafBody) { panic("broken") }, time.Hour, aheadTime},
		{"the context ends", func(*deafBody) {}, 100 * time.Millisecond, 100 * time.Millisecond},
		{"the context has ended", func(*deafBody) {}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.ends)
				defer cancel()
				var budget Budget
				body := &deafBody{close: test.close, closed: make(chan struct{}), released: make(chan struct{})}
				resp := &http.Response{Body: struct {
					io.Reader
					io.Closer
				}{io.MultiReader(strings.NewReader("slow"), body), body}}
				start := time.Now()
				buffer := budget.Discard(newRequest(t).WithContext(ctx), resp, true)
				require.Equal(t, test.takes, time.Since(start))
				buffer.Free()
				require.Zero(t, budget.Used())
				got, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				if test.ends > 0 {
					require.Equal(t, "slow", string(got))
				}
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

// A panic of the caller's body reaches the caller's goroutine. The body is closed, and its bytes are
// given back.
func TestDiscardOfABodyThatPanics(t *testing.T) {
	broken := readerFunc(func([]byte) (int, error) { panic("broken") })
	for _, test := range []struct {
		name string
		body io.Reader
		err  bool // Close panics
	}{
		{"Read", io.MultiReader(strings.NewReader("slow"), broken), false},
		{"Close", strings.NewReader("slow"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var budget Budget
			body := &panicBody{trackedBody{Reader: test.body}, test.err}
			resp := &http.Response{Body: body}
			require.PanicsWithValue(t, "broken", func() { budget.Discard(newRequest(t), resp, true) })
			require.Equal(t, 1, body.closed)
			require.Zero(t, budget.Used())
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
