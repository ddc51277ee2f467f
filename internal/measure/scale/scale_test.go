package scale

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

var (
	write = flag.String("write", "", "write the tables of TestScale, with all sizes, to this file")
	full  = flag.Bool("full", false, "run TestScale with all sizes: a minute more")
)

// TestScale measures the same at sizes that grow tenfold, prints the figures as tables
// in Markdown, and checks those that do not depend on the machine. Times do: they are
// shown and not checked. What a request costs should not depend on how many there are.
func TestScale(t *testing.T) {
	parts := []struct {
		name    string
		measure func(*testing.T) *table
	}{
		{"waiters", measureWaiters}, // first, while the runtime keeps no goroutines that have ended
		{"requests", measureRequests},
		{"fleet", measureFleets},
		{"hour", measureHours},
	}
	var tables []*table
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { tables = append(tables, part.measure(t)) })
	}
	text := document(tables)
	t.Logf("\n%s", text)
	if *write != "" && !t.Failed() {
		if len(tables) < len(parts) {
			t.Fatal("not written: only some were measured")
		}
		require.NoError(t, os.WriteFile(*write, []byte(text), 0o644))
	}
}

// sizes are least, ten times as much, and so on until most. For the race detector two
// are enough.
func sizes(least, most int) []int {
	var all []int
	for n := least; n <= most && (!kit.Raced || len(all) < 2); n *= 10 {
		all = append(all, n)
	}
	return all
}
