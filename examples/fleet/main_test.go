package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain runs the test's binary as a process of the fleet if a test has started it so.
func TestMain(m *testing.M) {
	if isMember(os.Args) {
		end(member(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// short is a plan that ends before the processes have agreed on their parts.
var short = plan{quota: 30, window: time.Second, processes: 3, kill: 750 * time.Millisecond, end: 2250 * time.Millisecond}

// Three processes send, and two after one of them was killed. The server and the processes count the same
// requests.
func TestRun(t *testing.T) {
	r, err := short.run(t.Context(), filepath.Join(t.TempDir(), "fleet"))
	require.NoError(t, err)
	require.NoError(t, r.unaccounted())

	all := 0
	for i := range short.processes {
		mine := r.of(i)
		all += len(mine)
		require.NotEmpty(t, mine.Allowed().Between(r.begun, r.killed), "process %d before the kill", i+1)
		if i < short.processes-1 {
			require.NotEmpty(t, mine.Between(r.killed, r.ended), "process %d after the kill", i+1)
			continue
		}
		late := r.counts(mine)[r.killedColumn()+1:] // requests under way when the process is killed still arrive
		require.NotEmpty(t, late)
		require.Equal(t, make([]int, len(late)), late, "process %d after the kill", i+1)
	}
	require.Len(t, r.arrivals, all, "nobody else sends")
	require.Len(t, r.reports, short.processes-1)

	var out bytes.Buffer
	svg := filepath.Join(t.TempDir(), "picture.svg")
	require.NoError(t, r.show(&out, svg))
	require.Contains(t, out.String(), "← killed\n")
	require.Contains(t, out.String(), "\npart of the quota used   ")
	picture, err := os.ReadFile(svg)
	require.NoError(t, err)
	requireXML(t, picture)
}

func requireXML(t *testing.T, document []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}
