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

// parseHeaders holds header fields as servers send them, a response a paragraph.
//
//go:embed testdata/parse_headers.txt
var parseHeaders string

// responses are those of parseHeaders and of the corpus of vendors.
func responses(f *testing.F) []string {
	f.Helper()
	all := strings.Split(parseHeaders, "\n\n")
	files, err := filepath.Glob("../testdata/corpus/*.txt")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		all = append(all, corpusResponses(string(text))...)
	}
	return all
}

// corpusResponses returns the fields of the responses of a corpus file, each after a
// Host field that says whose they are. What is to be read from them is left out.
func corpusResponses(text string) (all []string) {
	for c := range strings.SplitSeq(text, "\n=== ") {
		request, head, isCase := strings.Cut(c, "\nHTTP/")
		if !isCase {
			continue
		}
		_, head, _ = strings.Cut(head, "\n") // behind the status
		head, _, _ = strings.Cut(head, "\n\n")
		if _, target, ok := strings.Cut(request, " https://"); ok {
			target, _, _ = strings.Cut(target, "\n")
			head = "Host: " + target + "\n" + head
		}
		all = append(all, head)
	}
	return all
}

// addHeaders makes every response a seed.
func addHeaders(f *testing.F) {
	f.Helper()
	for _, response := range responses(f) {
		f.Add(response)
	}
}

// addLines makes seeds of the lines of the fields whose names end in suffix.
func addLines(f *testing.F, suffix string) {
	f.Helper()
	n := 0
	for _, response := range responses(f) {
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
