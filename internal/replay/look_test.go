package replay

import (
	"encoding/json"
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

// A function may read all of a body, a part or nothing: the caller gets every byte and the error at the end.
func TestLookLeavesTheBodyWhole(t *testing.T) {
	const most = 8 << 10
	reset := errors.New("reset")
	long := strings.Repeat("0123456789abcdef", most/16)
	for _, test := range []struct {
		name    string
		read    func(io.Reader) io.Reader
		text    string
		wantErr error // that the caller gets
		looks   error // that the function gets
	}{
		{name: "short", text: "short"},
		{name: "empty"},
		{name: "longer", text: long + "end", looks: io.ErrUnexpectedEOF},
		{name: "fails", text: "short", wantErr: reset, looks: reset, read: func(r io.Reader) io.Reader {
			return io.MultiReader(r, iotest.ErrReader(reset))
		}},
		{name: "fails with the last bytes", text: "short", wantErr: reset, looks: reset, read: func(r io.Reader) io.Reader {
			return iotest.DataErrReader(io.MultiReader(r, iotest.ErrReader(reset)))
		}},
		{name: "fails behind what is read", text: long, wantErr: reset, looks: io.ErrUnexpectedEOF, read: func(r io.Reader) io.Reader {
			return io.MultiReader(r, iotest.ErrReader(reset))
		}},
		{name: "empty Reads", text: "short", read: func(r io.Reader) io.Reader { return io.MultiReader(emptyReads(3), r) }},
	} {
		for _, part := range []int{0, 1, len(test.text), 1 << 30} {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // time must not pass on a slow machine
					body := newTrackedBody(test.text)
					if test.read != nil {
						body.Reader = test.read(body.Reader)
					}
					resp := &http.Response{StatusCode: http.StatusOK, Body: body}
					look := LookAt(newRequest(t), resp, most)
					seen, err := io.ReadAll(io.LimitReader(look, int64(part)))
					require.True(t, strings.HasPrefix(test.text, string(seen)))
					if part > len(test.text) {
						require.ErrorIs(t, err, test.looks)
					}
					look.End()
					require.Equal(t, part == 0, resp.Body == io.ReadCloser(body), "it is replaced only if it was read")
					_, err = look.Read(make([]byte, 1))
					require.ErrorIs(t, err, http.ErrBodyReadAfterClose)

					got, err := io.ReadAll(iotest.HalfReader(resp.Body))
					require.ErrorIs(t, err, test.wantErr)
					require.Equal(t, test.text, string(got))
					_, err = resp.Body.Read(make([]byte, 1))
					require.Error(t, err, "the end stays the end")
					require.Zero(t, body.closed)
					require.NoError(t, resp.Body.Close())
					require.Equal(t, 1, body.closed)
				})
			})
		}
	}
}

// A function that needs only the beginning does not wait for the rest.
func TestLookReadsNoFurtherThanRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp := &http.Response{StatusCode: http.StatusOK, Body: newStuckBody(`{"ok":true}`), ContentLength: -1}
		look, begun := LookAt(newRequest(t), resp, 1000), time.Now()
		var answer struct{ OK bool }
		require.NoError(t, json.NewDecoder(look).Decode(&answer))
		require.True(t, answer.OK)
		require.Zero(t, time.Since(begun))
		look.End()
		require.NoError(t, resp.Body.Close())
	})
}

// A Read ahead that is still running ends when the body is closed.
func TestLookLeavesNoGoroutineBehind(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(t *testing.T, resp *http.Response, stuck io.Closer)
	}{
		{"closed unread", func(t *testing.T, resp *http.Response, _ io.Closer) {
			t.Helper()
			require.NoError(t, resp.Body.Close())
		}},
		{"closed during a Read", func(t *testing.T, resp *http.Response, _ io.Closer) {
			t.Helper()
			time.AfterFunc(time.Second, func() { _ = resp.Body.Close() })
			got, err := io.ReadAll(resp.Body)
			require.ErrorIs(t, err, io.ErrClosedPipe)
			require.Equal(t, "begin", string(got))
		}},
		{"neither read nor closed, broken off by the server", func(t *testing.T, _ *http.Response, stuck io.Closer) {
			t.Helper()
			require.NoError(t, stuck.Close())
		}},
		{"discarded", func(t *testing.T, resp *http.Response, _ io.Closer) {
			t.Helper()
			(&Budget{}).Discard(newRequest(t), resp, true)
			got, err := io.ReadAll(resp.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, "begin", string(got))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine stays
				stuck := newStuckBody("begin")
				resp := &http.Response{StatusCode: http.StatusOK, Body: stuck, ContentLength: -1}
				look := LookAt(newRequest(t), resp, 1000)
				_, err := io.ReadAll(look)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				look.End()
				test.end(t, resp, stuck)
			})
		})
	}
}

// A panic of the body reaches the caller who reads it, not the function that looks.
func TestLookAtABodyThatPanics(t *testing.T) {
	for name, reader := range map[string]readerFunc{
		"panic":                         broken,
		"bytes that were not asked for": func(p []byte) (int, error) { return cap(p) + 1, nil },
	} {
		t.Run(name, func(t *testing.T) {
			body := &trackedBody{Reader: io.MultiReader(strings.NewReader("{"), reader)}
			resp := &http.Response{StatusCode: http.StatusOK, Body: body}
			look := LookAt(newRequest(t), resp, 1000)
			_, err := io.ReadAll(look)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			look.End()
			n, err := resp.Body.Read(make([]byte, 2))
			require.NoError(t, err)
			require.Equal(t, 1, n)
			require.Panics(t, func() { _, _ = io.ReadAll(resp.Body) })
		})
	}
}

// A function that leaves a goroutine reading does not disturb the caller.
func TestLookAtOnManyGoroutines(t *testing.T) {
	want := strings.Repeat("0123456789abcdef", 1<<14)
	resp := &http.Response{StatusCode: http.StatusOK, Body: newTrackedBody(want)}
	look := LookAt(newRequest(t), resp, 1<<20)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { _, _ = io.Copy(io.Discard, look) })
	}
	_, err := look.Read(make([]byte, 16))
	require.True(t, err == nil || errors.Is(err, io.EOF))
	look.End()
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	group.Wait()
}
