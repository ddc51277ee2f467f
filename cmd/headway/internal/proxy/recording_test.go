package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

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

// Content is kept until the request is not sent again. All readings of it are whole.
func TestKeptContent(t *testing.T) {
	b := &budget{most: 1000}
	rec := recordOf(t, strings.NewReader("abcdef"), 6, 100, b)
	require.True(t, rec.isWhole())
	require.EqualValues(t, 6, b.kept.Load())
	first := rec.first()
	second, err := rec.again()
	require.NoError(t, err)
	rec.settle()
	require.Zero(t, b.kept.Load())
	for _, reading := range []io.Reader{first, second} {
		text, err := io.ReadAll(reading)
		require.NoError(t, err)
		require.Equal(t, "abcdef", string(text))
	}
	_, err = rec.again()
	require.ErrorContains(t, err, "too long")
	rec.end()
	require.Zero(t, b.kept.Load())
}

// Content that is not kept passes once, and what follows it in the trailer section is there with its end.
func TestPassedContent(t *testing.T) {
	trailer := http.Header{"X-Sum": nil, "Headway-Secret": {"hunter2"}}
	rec, err := record(&http.Request{ContentLength: -1, Trailer: trailer}, withDeadlines(strings.NewReader("abc")), 100, &budget{most: 1000})
	require.NoError(t, err)
	require.False(t, rec.isWhole())
	_, err = rec.again()
	require.ErrorContains(t, err, "too long")
	text, err := io.ReadAll(rec.first())
	require.NoError(t, err)
	require.Equal(t, "abc", string(text))
	require.True(t, rec.isWhole())
	require.Equal(t, http.Header{"X-Sum": nil}, trailer)
	rec.end()
}

// The end of a request ends a reading that waits for the client, and one that has not begun. Nobody reads from the client then.
func TestEndOfPassedContent(t *testing.T) {
	client, proxy := net.Pipe()
	defer func() { require.NoError(t, proxy.Close()) }()
	rec := recordOf(t, client, -1, 4, &budget{most: 1000})
	rec.source.control = http.NewResponseController(&deadlined{ResponseWriter: httptest.NewRecorder(), conn: client})
	got := make(chan error)
	go func() { _, err := rec.first().Read(make([]byte, 10)); got <- err }()
	_, err := proxy.Write([]byte("a")) // it is read, so the reading has begun
	require.NoError(t, err)
	require.NoError(t, <-got)
	rec.end()
	_, err = rec.first().Read(make([]byte, 10))
	require.ErrorIs(t, err, io.ErrClosedPipe)

	rec = recordOf(t, zeros{}, -1, 4, &budget{most: 1000})
	rec.end()
	_, err = rec.first().Read(make([]byte, 10))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// A deadlined has the deadlines of a connection.
type deadlined struct {
	http.ResponseWriter
	conn net.Conn
}

func (d *deadlined) SetReadDeadline(t time.Time) error  { return d.conn.SetReadDeadline(t) }
func (d *deadlined) SetWriteDeadline(t time.Time) error { return d.conn.SetWriteDeadline(t) }

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A client takes from the budget what it has sent, and not what it has announced.
func TestAnnouncedContentTakesNoBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, length = 10, 1 << 20
		b := &budget{most: 2 << 20}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range clients {
			content, client := io.Pipe()
			context.AfterFunc(ctx, func() { _ = client.Close() })
			go func() { _, _ = record(&http.Request{ContentLength: length}, withDeadlines(content), length, b) }()
		}
		synctest.Wait()
		require.EqualValues(t, clients*bufferSize, b.kept.Load())
		cancel()
		synctest.Wait()
		require.Zero(t, b.kept.Load())
	})
}

// A client whose content cannot be read is at fault, not the upstream.
func TestContentThatFails(t *testing.T) {
	broken := errors.New("broken")
	source := io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken))
	b := &budget{most: 1000}
	_, err := record(&http.Request{ContentLength: 5}, withDeadlines(source), 100, b)
	var failed *contentError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, broken)
	require.Zero(t, b.kept.Load())

	rec := recordOf(t, io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), -1, 100, b)
	text, err := io.ReadAll(rec.first())
	require.ErrorAs(t, err, &failed)
	require.Equal(t, "ab", string(text))
	require.ErrorIs(t, rec.failure(), broken)
}

// All recordings together keep no more than the budget. What is beyond it passes, and cannot be read again.
func TestBudgetOfRecordings(t *testing.T) {
	b := &budget{most: 10}
	kept := recordOf(t, strings.NewReader("12345678"), 8, 100, b)
	told := recordOf(t, strings.NewReader("12345678"), 8, 100, b)
	_, err := told.again()
	require.ErrorContains(t, err, "too long")
	passed := told.first()
	told.settle()
	text, err := io.ReadAll(passed)
	require.NoError(t, err)
	require.Equal(t, "12345678", string(text))
	told.end()
	again, err := kept.again()
	require.NoError(t, err)
	text, err = io.ReadAll(again)
	require.NoError(t, err)
	require.Equal(t, "12345678", string(text))
	kept.end()
	require.Zero(t, b.kept.Load())
}
