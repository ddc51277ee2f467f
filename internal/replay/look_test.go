package replay

import (
	"context"
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
	reset := errors.New("reset")
	text := func(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }
	long := strings.Repeat("0123456789abcdef", MaxLook/16)
	for _, test := range []struct {
		name     string
		body     func() io.Reader
		text     string
		wantErr  error // that the caller gets
		looksErr error // that the function gets
	}{
		{name: "short", body: text("short"), text: "short"},
		{name: "empty", body: text("")},
		{name: "with EOF", body: func() io.Reader { return iotest.DataErrReader(strings.NewReader("short")) }, text: "short"},
		{name: "byte by byte", body: func() io.Reader { return iotest.OneByteReader(strings.NewReader(long[:3000])) }, text: long[:3000]},
		{name: "as long as is read", body: text(long), text: long, looksErr: io.ErrUnexpectedEOF},
		{name: "longer", body: text(long + "end"), text: long + "end", looksErr: io.ErrUnexpectedEOF},
		{name: "fails at once", body: func() io.Reader { return iotest.ErrReader(reset) }, wantErr: reset, looksErr: reset},
		{name: "fails in the middle", text: "short", wantErr: reset, looksErr: reset, body: func() io.Reader {
			return io.MultiReader(strings.NewReader("short"), iotest.ErrReader(reset))
		}},
		{name: "fails with the last bytes", text: "short", wantErr: reset, looksErr: reset, body: func() io.Reader {
			return iotest.DataErrReader(io.MultiReader(strings.NewReader("short"), iotest.ErrReader(reset)))
		}},
		{name: "an empty Read", text: "short", looksErr: io.ErrNoProgress, body: func() io.Reader {
			return io.MultiReader(&emptyReads{n: 1}, strings.NewReader("short"))
		}},
	} {
		for _, part := range []int{0, 1, 3, len(test.text), 1 << 30} {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // time must not pass on a slow machine
					body := &trackedBody{Reader: test.body()}
					req := newRequest(t)
					resp := &http.Response{StatusCode: http.StatusOK, Body: body, ContentLength: int64(len(test.text))}
					looking, look := LookAt(req, resp)
					seen, err := io.ReadAll(io.LimitReader(looking, int64(part)))
					require.True(t, strings.HasPrefix(test.text, string(seen)))
					if part > len(test.text) || err != nil {
						require.ErrorIs(t, err, test.looksErr)
					}
					require.NoError(t, looking.Close())
					look.End()
					require.Equal(t, part == 0, resp.Body == io.ReadCloser(body), "it is replaced only if it was read")
					require.Zero(t, body.closed)
					_, err = looking.Read(make([]byte, 1))
					require.ErrorIs(t, err, http.ErrBodyReadAfterClose)

					got, err := io.ReadAll(resp.Body)
					require.ErrorIs(t, err, test.wantErr)
					requireText(t, test.text, string(got))
					require.NoError(t, resp.Body.Close())
					require.Equal(t, 1, body.closed)
				})
			})
		}
	}
}

// A body that trickles is read for 250 ms in all, and a context that ends sooner ends it. What came late reaches the
// caller.
func TestLookDoesNotWaitForAStream(t *testing.T) {
	for _, test := range []struct {
		name  string
		ends  time.Duration // of the context
		takes time.Duration
	}{
		{"for a while", time.Hour, aheadTime},
		{"until the context ends", 100 * time.Millisecond, 100 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.ends)
				defer cancel()
				in, out := io.Pipe()
				go func() {
					for word := range strings.FieldsSeq("a b c d e f") {
						time.Sleep(60 * time.Millisecond)
						_, _ = io.WriteString(out, word)
					}
					_ = out.Close()
				}()
				resp := &http.Response{StatusCode: http.StatusOK, Body: in, ContentLength: -1}
				looking, look := LookAt(newRequest(t).WithContext(ctx), resp)
				begun := time.Now()
				seen, err := io.ReadAll(looking)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				require.Equal(t, test.takes, time.Since(begun))
				require.Len(t, seen, int(test.takes/(60*time.Millisecond)))
				look.End()
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, "abcdef", string(got))
			})
		})
	}
}

// A function that needs only the beginning does not wait for the rest.
func TestLookReadsNoFurtherThanRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := newStuckBody()
		resp := &http.Response{StatusCode: http.StatusOK, Body: stuck.after(`{"ok":true}`), ContentLength: -1}
		looking, look := LookAt(newRequest(t), resp)
		begun := time.Now()
		var answer struct{ OK bool }
		require.NoError(t, json.NewDecoder(looking).Decode(&answer))
		require.True(t, answer.OK)
		require.Zero(t, time.Since(begun))
		look.End()
		require.NoError(t, resp.Body.Close())
		synctest.Wait()
	})
}

// There is nothing to look at where no body follows, and where the end of the body fills in announced trailers.
func TestLookAtNothing(t *testing.T) {
	head := newRequest(t)
	head.Method = http.MethodHead
	for _, test := range []struct {
		name string
		req  *http.Request
		resp http.Response
		want error
	}{
		{"no body", newRequest(t), http.Response{StatusCode: 200}, io.EOF},
		{"http.NoBody", newRequest(t), http.Response{StatusCode: 200, Body: http.NoBody}, io.EOF},
		{"HEAD", head, http.Response{StatusCode: 200, Body: newTrackedBody("x")}, io.EOF},
		{"another protocol", newRequest(t), http.Response{StatusCode: 101, Body: newTrackedBody("x")}, io.EOF},
		{"announced trailers", newRequest(t), http.Response{StatusCode: 200, Body: newTrackedBody("x"), Trailer: http.Header{"Digest": nil}}, io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp := test.resp
			looking, look := LookAt(test.req, &resp)
			n, err := looking.Read(make([]byte, 10))
			require.Zero(t, n)
			require.Equal(t, test.want, err)
			look.End()
			require.Equal(t, test.resp.Body, resp.Body)
		})
	}
}

// A panic of the body reaches the caller who reads it, not the function that looks.
func TestLookAtABodyThatPanics(t *testing.T) {
	resp := &http.Response{StatusCode: 200, Body: &trackedBody{Reader: readerFunc(func([]byte) (int, error) { panic("broken") })}}
	looking, look := LookAt(newRequest(t), resp)
	_, err := io.ReadAll(looking)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	look.End()
	require.PanicsWithValue(t, "broken", func() { _, _ = io.ReadAll(resp.Body) })
}

// A function that leaves a goroutine reading does not disturb the caller.
func TestLookAtOnManyGoroutines(t *testing.T) {
	want := strings.Repeat("0123456789abcdef", 1<<14)
	resp := &http.Response{StatusCode: 200, Body: newTrackedBody(want)}
	looking, look := LookAt(newRequest(t), resp)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { _, _ = io.Copy(io.Discard, looking) })
	}
	_, err := looking.Read(make([]byte, 16))
	require.True(t, err == nil || errors.Is(err, io.EOF))
	look.End()
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	requireText(t, want, string(got))
	group.Wait()
}

// requireText checks a body byte for byte. It does not print long bodies.
func requireText(t *testing.T, want, got string) {
	t.Helper()
	if got != want {
		t.Fatalf("a body of %d bytes, which are not the %d that were sent", len(got), len(want))
	}
}
