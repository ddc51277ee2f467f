package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPaint(t *testing.T) {
	require.Equal(t, "\x1b[31mno\x1b[0m", palette(true).paint(red, "no"))
	require.Equal(t, "no", palette(true).paint(plain, "no"))
	require.Equal(t, "no", palette(false).paint(red, "no"))
	require.Empty(t, palette(true).paint(red, ""))
}

func TestFilesAreNotTerminals(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	s := newScreen(f)
	require.NoError(t, f.Close())
	require.False(t, s.live)
	require.False(t, bool(s.palette))
}
