package main

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The maximum lengths, in characters, of text from servers and files.
const (
	shortText = 40  // a name
	longText  = 120 // a value, an error
)

// visible returns text from a server or a file, fit for a terminal. It escapes unprintable characters as Go
// does, such as the start of an escape sequence, or a mark that reverses the text direction. It cuts text
// that is longer than most characters.
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

// quoted is like visible, and puts the text in quotes.
func quoted(text string, most int) string { return strconv.Quote(cut(text, most)) }

func cut(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// withoutValues removes quoted values from an error: values that a server sent, or that the user would not
// want in a log.
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

// quotedLength returns the length of the rest of a quoted string after its first quote, up to and including the
// last one.
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

// ascii escapes all characters of a JSON document that are not ASCII, and DEL. encoding/json leaves them as
// they are, and some of them control terminals. They occur inside strings only, so the document keeps its
// meaning.
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

// appendUnit appends a UTF-16 code unit, escaped as in JSON (RFC 8259 §7).
func appendUnit(out []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

// validName reports whether name is a valid field name (RFC 9110 §5.6.2).
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

// validValue reports whether value is a valid field value (RFC 9110 §5.5).
func validValue(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}
