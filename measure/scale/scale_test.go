package scale

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
)

var (
	write = flag.Bool("write", false, "write the tables of TestScale, with all sizes, into docs/figures/scale.md")
	full  = flag.Bool("full", false, "run TestScale with all sizes: a minute more")
)

// TestScale measures at sizes that grow tenfold and prints the figures as Markdown tables. It checks the figures that do not
// depend on the machine. It does not check times. The cost of a request should not depend on their number.
func TestScale(t *testing.T) {
	parts := []struct {
		name    string
		measure func(*testing.T) *table
	}{
		{"waiters", measureWaiters}, // first, while the runtime has no descriptors of ended goroutines
		{"requests", measureRequests},
	}
	var tables []*table
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { tables = append(tables, part.measure(t)) })
	}
	text := document(tables)
	t.Logf("\n%s", text)
	if *write && !t.Failed() {
		require.Len(t, tables, len(parts), "nothing is written without all parts")
		folder, err := page.Figures()
		require.NoError(t, err)
		require.NoError(t, folder.Write("scale.md", text))
	}
}

// sizes returns least, ten times least, and so on up to most. Under the race detector it returns two sizes.
func sizes(least, most int) []int {
	var all []int
	for n := least; n <= most && (!kit.IsBrief() || len(all) < 2); n *= 10 {
		all = append(all, n)
	}
	return all
}
