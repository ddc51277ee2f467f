package main

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many characters are shown of what others have chosen.
const (
	shortText = 40  // a name
	longText  = 120 // a value, an error
)

// visible returns text that a server or a file has chosen, fit for a terminal: what
// cannot be printed, such as the beginning of an escape sequence or a mark that turns
// the direction of writing, is escaped as in Go, and more than most characters are
// cut off.
func visible(text string, most int) string {
	var b strings.Builder
	for text = cut(text, most); text != ""; {
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

// quoted is visible in quotes, with those in the text escaped, too.
func quoted(text string, most int) string { return strconv.Quote(cut(text, most)) }

func cut(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// withoutValues takes out of an error what it quotes: values that a server sent, or that
// the user would not want to see in a log.
func withoutValues(err error) error {
	return errors.New(visible(withoutQuotes(err.Error()), longText))
}

func withoutQuotes(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `"`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(`"…"`)
		text = after[quotedLength(after):]
	}
}

// quotedLength is the length of what strconv.Quote has made, behind the first quote.
func quotedLength(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// ascii escapes all characters of a JSON document that are not ASCII, and the one that
// is no character. encoding/json leaves them, and some control terminals. Outside of
// strings there are none, so that the document says the same.
func ascii(document []byte) []byte {
	out := make([]byte, 0, len(document))
	for _, r := range string(document) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			r -= 0x10000
			out = appendUnit(appendUnit(out, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			out = appendUnit(out, r)
		}
	}
	return out
}

// appendUnit appends a code unit of UTF-16 as JSON escapes it (RFC 8259 §7).
func appendUnit(out []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

// validName reports whether a field may have that name (RFC 9110 §5.6.2).
func validName(name string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letterOrDigit := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letterOrDigit && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return true
}

// validValue reports whether a field may have that value (RFC 9110 §5.5).
func validValue(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}
