package ratelimittest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

var errUnreadable = errors.New("ratelimittest: the server sent a header field that no client reads")

// carried returns a header as it arrives at the other end. It is what net/http
// writes and reads: names are canonical, fields without a name or a value that can
// be sent are left out, and a value is on one line. A control character in one makes
// the whole header unreadable.
func carried(h http.Header) (http.Header, error) {
	var wire bytes.Buffer
	_ = h.Write(&wire) // a Buffer takes everything
	wire.WriteString("\r\n")
	arrived, err := textproto.NewReader(bufio.NewReaderSize(&wire, wire.Len())).ReadMIMEHeader()
	if err != nil {
		return nil, errUnreadable // err has the value
	}
	return http.Header(arrived), nil
}

// sendable says why a client does not send a header (RFC 9110 §5.1, §5.5).
func sendable(h http.Header) error {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, isNoTokenChar) {
			return fmt.Errorf("ratelimittest: invalid header field name %q", name)
		}
		if slices.ContainsFunc(values, hasControlChar) {
			return fmt.Errorf("ratelimittest: invalid header field value for %q", name)
		}
	}
	return nil
}

func isNoTokenChar(c rune) bool {
	return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
}

func hasControlChar(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}
