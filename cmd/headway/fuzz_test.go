package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRecording has any recording reported in both forms: nothing panics, hangs or
// controls a terminal, the forms agree, and the JSON is some.
func FuzzRecording(f *testing.F) {
	recorded, err := filepath.Glob("testdata/*.http")
	require.NoError(f, err)
	require.NotEmpty(f, recorded)
	for _, name := range recorded {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, recording string) {
		words := requireHarmless(t, session{args: []string{"inspect"}, input: strings.NewReader(recording)})
		asJSON := requireHarmless(t, session{args: []string{"inspect", "-json"}, input: strings.NewReader(recording)})
		require.Equal(t, words, asJSON)
	})
}
