package parse

import "strings"

// readText reads a field that has a name. Names are only compared, so readText checks just the length and
// control characters.
func readText(lines []string) (string, fault) {
	text, _, f := singleton(lines, readName, func(first, _ string) string { return first })
	return text, f
}

func readName(line string) (string, fault) {
	text := strings.Trim(line, " \t")
	switch {
	case text == "":
		return "", fault{-1, ErrEmpty}
	case len(text) > MaxText:
		return "", fault{-1, ErrTooLong}
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return "", fault{i, ErrSyntax}
		}
	}
	return text, fault{}
}
