package fuzz

import (
	_ "embed"
	"net/http"
	"strings"
	"testing"
)

// parseHeaders holds header fields as servers send them, a response a paragraph.
//
//go:embed testdata/parse_headers.txt
var parseHeaders string

// addHeaders makes every response a seed.
func addHeaders(f *testing.F) {
	f.Helper()
	for response := range strings.SplitSeq(parseHeaders, "\n\n") {
		f.Add(response)
	}
}

// addLines makes seeds of the lines of the fields whose names end in suffix.
func addLines(f *testing.F, suffix string) {
	f.Helper()
	n := 0
	for response := range strings.SplitSeq(parseHeaders, "\n\n") {
		for name, lines := range header(response) {
			if strings.HasSuffix(strings.ToLower(name), suffix) {
				f.Add(strings.Join(lines, "\n"))
				n++
			}
		}
	}
	if n == 0 {
		f.Fatalf("no seed for a field that ends in %q", suffix)
	}
}

// header makes a header of lines such as "Name: value". Names are made canonical
// as net/http does, except for those that begin in lower case, as in a map made
// by hand.
func header(response string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(response, "\n") {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		if strings.ToLower(name[:min(1, len(name))]) != name[:min(1, len(name))] {
			name = http.CanonicalHeaderKey(name)
		}
		h[name] = append(h[name], strings.TrimPrefix(value, " "))
	}
	return h
}
