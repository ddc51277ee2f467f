package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// The maximum lengths, in characters, of text from servers and files.
const (
	shortText = 40  // a name
	longText  = 120 // a value, an error
)

var (
	unprintable = regexp.MustCompile(`[^\pL\pM\pN\pP\pS ]`)
	inQuotes    = regexp.MustCompile(`"(?:\\.|[^"\\])*(?:"|\\?$)`)
)

// visible returns text from a server or a file, fit for a terminal. It escapes unprintable characters as Go does, such as
// the start of an escape sequence, or a mark that reverses the text direction.
func visible(text string) string {
	return unprintable.ReplaceAllStringFunc(strings.ToValidUTF8(text, "\ufffd"), func(c string) string {
		return strings.Trim(strconv.Quote(c), `"`)
	})
}

// quoted is like visible, and puts a name in quotes.
func quoted(text string) string { return strconv.Quote(cut(text, shortText)) }

// cut cuts text that is longer than most characters.
func cut(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// withoutQuotes removes quoted values from an error: values that a server sent, or that the user would not want in a log.
func withoutQuotes(text string) string { return inQuotes.ReplaceAllString(text, `"…"`) }

// document returns v as a JSON document in ASCII: some other characters, which encoding/json leaves as they are, control
// terminals. They occur inside strings only, so the document keeps its meaning (RFC 8259 §7).
func document(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	var out []byte
	for _, r := range b.String() {
		if r < 0x7f {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out, nil
}
