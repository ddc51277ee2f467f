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

// asSent returns a header as the other end receives it, after net/http has written and read it. Names are
// canonical, values are on one line, and fields with an invalid name are left out. A control character in a
// value makes the whole header unreadable.
func asSent(h http.Header) (http.Header, error) {
	var wire bytes.Buffer
	_ = h.Write(&wire) // a bytes.Buffer never fails
	wire.WriteString("\r\n")
	arrived, err := textproto.NewReader(bufio.NewReaderSize(&wire, wire.Len())).ReadMIMEHeader()
	if err != nil {
		return nil, errUnreadable // without err, which contains the value
	}
	return http.Header(arrived), nil
}

// checkFields returns an error for a header that a client refuses to send (RFC 9110 §5.1, §5.5).
func checkFields(h http.Header) error {
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
