package debug

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many characters of a name are shown.
const maxText = 120

// visible returns a name that a server or a request has chosen, fit to be shown among
// others: what cannot be printed, such as a mark that turns the direction of writing, is
// escaped as in Go, and of a long one the middle is left out. Markup is the template's
// business.
func visible(name string) string {
	head, tail := cut(name)
	if tail == "" {
		return printable(head)
	}
	return printable(head) + "…" + printable(tail)
}

// cut returns the first and the last characters of a long name, which are what names of
// hosts and hashes of credentials differ in.
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

// splitName splits off the hash of credentials that headway.DefaultPartition appends, which
// few readers want to read. A name of another kind is left whole.
func splitName(name string) (rest, hash string) {
	const digits = "0123456789abcdef"
	if i := len(name) - 1 - len(digits); i > 0 && name[i] == '#' && strings.Trim(name[i+1:], digits) == "" {
		return visible(name[:i]), name[i:]
	}
	return visible(name), ""
}
