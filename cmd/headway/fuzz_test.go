package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRecording has any recording reported in every form: nothing panics, hangs or
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
		args := []string{"inspect", "-at", "2026-03-04T12:00:00Z"}
		words := requireHarmless(t, session{args: args[:1], input: strings.NewReader(recording)})
		table := requireHarmless(t, session{args: args[:1], input: strings.NewReader(recording), table: true})
		asJSON := requireHarmless(t, session{args: append(args, "-json"), input: strings.NewReader(recording)})
		require.Equal(t, words, table)
		require.Equal(t, words == exitFailed, asJSON == exitFailed)
	})
}
