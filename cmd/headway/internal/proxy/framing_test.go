package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A raw is a connection on which a client writes what it likes, and a server that keeps what it gets.
type raw struct {
	address string
	mu      sync.Mutex
	whole   []string // requests that have come to their end
	header  http.Header
}

func newRaw(t *testing.T) *raw {
	t.Helper()
	x := &raw{}
	d := open(t, listen(t, func(_ http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		x.mu.Lock()
		defer x.mu.Unlock()
		if err == nil {
			x.whole = append(x.whole, fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, content))
			x.header = r.Header
		}
	}), Config{})
	x.address = strings.TrimPrefix(d.url, "http://")
	return x
}

// ask sends text on a new connection, and returns the statuses of all responses until the connection is closed.
func (x *raw) ask(t *testing.T, text string) (statuses []int) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", x.address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, strings.ReplaceAll(text, "\n", "\r\n"))
	require.NoError(t, err)
	for in := bufio.NewReader(conn); ; {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
	}
}

// A request whose end two servers could find at different places is refused, or ends the connection. So nothing behind it is
// taken for a request. "next" is what an attacker would smuggle.
func TestSmuggling(t *testing.T) {
	const head, next = "POST / HTTP/1.1\nHost: localhost\n", "GET /next HTTP/1.1\nHost: localhost\nConnection: close\n\n"
	const chunked, both = "Transfer-Encoding: chunked\n", "Content-Length: 5\nTransfer-Encoding: chunked\n"
	for _, row := range []struct {
		name, text string
		want       []int
		upstream   []string
	}{
		{"a length and chunks", head + both + "\n0\n\n", []int{200}, []string{"POST / "}},
		{"chunks and a length", head + chunked + "Content-Length: 5\n\n0\n\n", []int{200}, []string{"POST / "}},
		{"chunks alone", head + chunked + "\n1\na\n0\n\n", []int{200}, []string{"POST / a"}},
		{"a tab", head + "Content-Length: 5\nTransfer-Encoding:\tchunked\n\n0\n\n", []int{200}, []string{"POST / "}},
		{"capitals", head + "Content-Length: 5\nTransfer-Encoding: CHUNKED\n\n0\n\n", []int{200}, []string{"POST / "}},
		{"a folded line", head + "Content-Length: 5\nTransfer-Encoding:\n chunked\n\n0\n\n", []int{200}, []string{"POST / "}},
		{"HTTP/1.0", "POST / HTTP/1.0\nHost: localhost\nConnection: keep-alive\n" + both + "\n0\n\n", []int{200}, []string{"POST / 0\r\n\r\n"}},
		{"HTTP/1.0 without a length", "POST / HTTP/1.0\nHost: localhost\nConnection: keep-alive\n" + chunked + "\n", []int{200}, []string{"POST / "}},
		{"named by Connection", head + chunked + "Connection: Transfer-Encoding\n\n1\na\n0\n\n", []int{200}, []string{"POST / a"}},
		{"a length in the trailer", head + chunked + "\n0\nContent-Length: 50\n\n", []int{200}, []string{"POST / "}},

		{"two lengths", head + "Content-Length: 5\nContent-Length: 6\n\n01234", []int{400}, nil},
		{"a list of lengths", head + "Content-Length: 5, 5\n\n01234", []int{400}, nil},
		{"a signed length", head + "Content-Length: +5\n\n01234", []int{400}, nil},
		{"a hexadecimal length", head + "Content-Length: 0x5\n\n01234", []int{400}, nil},
		{"an empty length", head + "Content-Length:\n\n01234", []int{400}, nil},
		{"a space before the colon", head + "Content-Length: 5\nTransfer-Encoding : chunked\n\n0\n\n", []int{400}, nil},
		{"a vertical tab", head + "Content-Length: 5\nTransfer-Encoding: \vchunked\n\n0\n\n", []int{400}, nil},
		{"a space before the name", "POST / HTTP/1.1\n Transfer-Encoding: chunked\nHost: localhost\n\n0\n\n", []int{400}, nil},
		{"a NUL", head + "X: a\x00Transfer-Encoding: chunked\n\n0\n\n", []int{400}, nil},
		{"a bare CR", head + "X: a\rTransfer-Encoding: chunked\n\n0\n\n", []int{400}, nil},
		{"another encoding", head + "Content-Length: 5\nTransfer-Encoding: xchunked\n\n0\n\n", []int{501}, nil},
		{"two encodings", head + "Transfer-Encoding: chunked, identity\n\n0\n\n", []int{501}, nil},
		{"two fields", head + chunked + "Transfer-Encoding: identity\n\n0\n\n", []int{501}, nil},
		{"an empty encoding", head + "Content-Length: 5\nTransfer-Encoding:\n\n0\n\n", []int{501}, nil},
		{"a length announced as a trailer", head + chunked + "Trailer: Content-Length\n\n0\nContent-Length: 5\n\n", []int{400}, nil},
		{"a chunk with a hexadecimal mark", head + chunked + "\n0x1\na\n0\n\n", []int{400}, nil},
		{"a chunk of another length", head + chunked + "\n1\nab\n0\n\n", []int{400}, nil},
		{"a chunk with a sign", head + chunked + "\n-1\na\n0\n\n", []int{400}, nil},
		{"a chunk too long to count", head + chunked + "\n10000000000000001\na\n0\n\n", []int{400}, nil},
		{"a space in the path", "GET /a b HTTP/1.1\nHost: localhost\n\n", []int{400}, nil},
		{"two hosts", "GET / HTTP/1.1\nHost: localhost\nHost: evil.com\n\n", []int{400}, nil},

		{"one length twice", head + "Content-Length: 5\nContent-Length: 5\n\n01234", []int{200, 200}, []string{"POST / 01234", "GET /next "}},
		{"an underscore", head + "Content-Length: 5\nTransfer_Encoding: chunked\n\n0\n\n", []int{200, 200}, []string{"POST / 0\r\n\r\n", "GET /next "}},
		{"an underscore in the length", head + "Content_Length: 50\n\n", []int{200, 200}, []string{"POST / ", "GET /next "}},
		{"a length named by Connection", head + "Content-Length: 5\nConnection: Content-Length\n\n01234", []int{200, 200}, []string{"POST / 01234", "GET /next "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := newRaw(t)
			require.Equal(t, row.want, x.ask(t, row.text+next))
			x.mu.Lock()
			defer x.mu.Unlock()
			require.Equal(t, row.upstream, x.whole)
			require.NotContains(t, x.header, "Content_length")
			require.NotContains(t, x.header, "Transfer_encoding")
		})
	}
}

// Fields of one connection end there: those that Connection names, and those that are such by themselves.
func TestHopByHopFields(t *testing.T) {
	x := newRaw(t)
	require.Equal(t, []int{200}, x.ask(t, "GET / HTTP/1.1\nHost: localhost\n"+
		"Connection: X-Named, close\nConnection: Headway-Max-Wait, x-Other\nX-Named: 1\nX-Other: 1\nX-Else: 1\n"+
		"Keep-Alive: timeout=5\nProxy-Connection: keep-alive\nProxy-Authorization: Basic eA==\nTE: trailers, gzip\n"+
		"Headway-Max-Wait: 1s\n\n"))
	x.mu.Lock()
	defer x.mu.Unlock()
	require.Equal(t, http.Header{"X-Else": {"1"}, "Te": {"trailers"}}, x.header)

	s, _ := inMemory(t, served(func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range []string{"X-Named", "Keep-Alive", "Proxy-Authenticate", "X-Else"} {
			w.Header().Set(name, "1")
		}
		w.Header().Set("Connection", "X-Named")
	}))
	resp := get(t.Context(), s, "/")
	require.Equal(t, "1", resp.Header.Get("X-Else"))
	for _, name := range []string{"X-Named", "Keep-Alive", "Proxy-Authenticate", "Connection"} {
		require.NotContains(t, resp.Header, name)
	}
}
