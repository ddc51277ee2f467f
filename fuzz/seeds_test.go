package fuzz

import (
	_ "embed"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parseHeaders has header fields as servers send them, with an empty line between responses.
//
//go:embed testdata/parse_headers.txt
var parseHeaders string

// responses returns the responses of parseHeaders, of the vendor corpus and of the rules.
func responses(f *testing.F) []string {
	f.Helper()
	all := strings.Split(parseHeaders, "\n\n")
	files, err := filepath.Glob("../testdata/[cr]*/*.txt")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		all = append(all, corpusResponses(string(text))...)
	}
	return all
}

// corpusResponses returns the header fields of the responses in a corpus file, each after a Host field
// with the host of the request. The expected Readings are left out.
func corpusResponses(text string) (all []string) {
	for c := range strings.SplitSeq(text, "\n=== ") {
		request, head, isCase := strings.Cut(c, "\nHTTP/")
		if !isCase {
			continue
		}
		_, head, _ = strings.Cut(head, "\n") // the text after the status line
		head, _, _ = strings.Cut(head, "\n\n")
		if _, target, ok := strings.Cut(request, " https://"); ok {
			target, _, _ = strings.Cut(target, "\n")
			head = "Host: " + target + "\n" + head
		}
		all = append(all, head)
	}
	return all
}

// addLines adds as seeds the lines of the fields whose names end in suffix.
func addLines(f *testing.F, suffix string) {
	f.Helper()
	n := 0
	for _, response := range responses(f) {
		for name, lines := range header(response) {
			for _, line := range lines {
				if strings.HasSuffix(strings.ToLower(name), suffix) {
					f.Add(line)
					n++
				}
			}
		}
	}
	require.NotZero(f, n, "no seed for a field that ends in %q", suffix)
}

// header returns a header of lines such as "Name: value". Names become canonical as in net/http, unless
// they begin in lower case, as in a map that is made by hand.
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
