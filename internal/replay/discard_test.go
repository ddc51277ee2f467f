package replay

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
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
		{"small", strings.NewReader("slow down"), "slow down", nil},
		{"as long as may be read", strings.NewReader(long), long, nil},
		{"too large", strings.NewReader(long + "+"), long, io.ErrUnexpectedEOF},
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

// Nobody waits for the Close of a body whose Read still runs, and so nobody gets its panic. Bodies that do not end in time
// are tested in internal/test/refusals.
func TestDiscardOfALateBodyWhoseClosePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var budget Budget
		released := make(chan struct{})
		late := readerFunc(func([]byte) (int, error) {
			<-released
			return 0, io.EOF
		})
		body := &panicBody{trackedBody{Reader: late}, true}
		resp, start := &http.Response{Body: body}, time.Now()
		require.Zero(t, budget.Discard(newRequest(t), resp, true))
		require.Equal(t, lookTime, time.Since(start))
		_, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		synctest.Wait()
		require.Equal(t, 1, body.closed)
		close(released)
	})
}

// A body for which there is no room is read for its connection's sake.
func TestDiscardWithoutRoom(t *testing.T) {
	const text = "slow down"
	for room, want := range map[int64]string{int64(len(text)): text, int64(len(text)) - 1: ""} {
		var b Budget
		b.Add(budget - room)
		body := newTrackedBody(text)
		resp := &http.Response{Body: body}
		require.EqualValues(t, len(want), b.Discard(newRequest(t), resp, true))
		require.Equal(t, budget-room+int64(len(want)), b.Load())
		require.Zero(t, body.Reader.(*strings.Reader).Len())
		require.Equal(t, 1, body.closed)
		got, err := io.ReadAll(resp.Body)
		require.Equal(t, want == "", errors.Is(err, io.ErrUnexpectedEOF))
		require.Equal(t, want, string(got))
	}
}
