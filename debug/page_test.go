package debug_test

import (
	"html"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestPageIsFiltered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := only(newStage(t).Transport)
		text := ask(t, h, "GET", "/?filter=MAIL").Body.String()
		require.Len(t, tableOf(text), 1)
		require.Contains(t, text, `name="filter" value="MAIL"`)
		require.Contains(t, text, "<li>1 partition</li>")
		require.Contains(t, text, `href="?format=json&amp;filter=MAIL"`)

		for filter, want := range map[string]int{"": 4, "MAIL.Example": 1, "nobody": 0, "https%3A%2F%2Fs": 1} {
			require.Len(t, reportOf(t, h, "/?format=json&filter="+filter).Transports[0].Partitions, want, filter)
		}

		text = ask(t, h, "GET", "/?filter=%22%3E%3Cscript%3E").Body.String()
		require.NotContains(t, text, "<table")
		require.Contains(t, text, "No partition has such a name.")
		require.Contains(t, text, `name="filter" value="`+html.EscapeString(`"><script>`)+`"`)
	})
}
