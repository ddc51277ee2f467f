package debug

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds the characters of a name on the page.
const maxText = 120

// visible returns a name from a server or a request, fit to be shown. Unprintable characters, such as a mark
// that reverses the text direction, are escaped as in Go. The middle of a long name is left out. The template
// escapes markup.
func visible(name string) string {
	head, tail := cut(name)
	if tail == "" {
		return printable(head)
	}
	return printable(head) + "…" + printable(tail)
}

// cut returns the first and the last characters of a long name. Names of hosts differ at the beginning, and
// hashes of credentials at the end.
func cut(name string) (head, tail string) {
	if utf8.RuneCountInString(name) <= maxText {
		return name, ""
	}
	const last = maxText / 3
	from, to := 0, len(name)
	for range maxText - last {
		_, n := utf8.DecodeRuneInString(name[from:])
		from += n
	}
	for range last {
		_, n := utf8.DecodeLastRuneInString(name[:to])
		to -= n
	}
	return name[:from], name[to:]
}

func printable(text string) string {
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		if c := text[:n]; unicode.IsPrint(r) && utf8.ValidString(c) {
			b.WriteString(c)
		} else {
			b.WriteString(strings.Trim(strconv.Quote(c), `"`))
		}
		text = text[n:]
	}
	return b.String()
}

// splitName splits off the hash of credentials that headway.DefaultPartition appends, which few readers need.
// Other names stay whole.
func splitName(name string) (rest, hash string) {
	const digits = "0123456789abcdef"
	if i := len(name) - 1 - len(digits); i > 0 && name[i] == '#' && strings.Trim(name[i+1:], digits) == "" {
		return visible(name[:i]), name[i:]
	}
	return visible(name), ""
}
