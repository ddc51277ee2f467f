package trial_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

// writePart writes the part of docs/figures/proxy.md that is between the marks of a name. All else on the page is written by hand.
func writePart(t *testing.T, name, table string) {
	t.Helper()
	docs, err := page.Docs()
	require.NoError(t, err)
	require.NoError(t, docs.Replace("figures/proxy.md", name, "\n"+table+"\n\n"))
}
