package debug_test

import (
	"html"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := only(newStage(t).Transport)
		text := ask(t, h, "GET", "/").Body.String()
		rows := tableOf(text)
		require.Len(t, rows, 4)
		for i, pattern := range []string{
			`https://reports\.example\.com \| 2 wait for the quota of “monthly” next in \d+ min.* \| 3,\d{3}/h pace \d\.\d\d/h \| 0 \| ` +
				`2 oldest 0\.2 s \| never \| ` +
				`monthly 0 of 1 requests per 20 min ends within (20 min|19 min 59 s) \d\.\d\d/h reported 0\.1 s ago \| \|`,
			`https://mail\.example\.com \| held until 00:01:30 in 1 min 30 s \| @ \| 0 of 1 place \| 0 \| 0\.1 s ago 00:00:00 \|`,
			`https://files\.example\.com \| free \| @ \| 0 of 3 places \| 0 \| never \|`,
			`https://slow\.example\.com \| 2 wait for the first response next in 0\.\d s \| @ \| 1 of 1 place \| 2 oldest 0\.2 s \| never \|`,
		} {
			require.Regexp(t, "^"+strings.ReplaceAll(pattern, "@", `(1\.0\d/s|59\.\d/min)`)+"$", rows[i])
		}

		summary := between(t, text, `<ul class="summary">`, "</ul>")
		require.Regexp(t, `^<li>4 partitions</li><li>[\d.]+/s sent</li><li>1 in flight</li><li>4 wait</li><li>1 held</li>$`, summary)
	})
}

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

// Without JavaScript the page is complete, and the browser reloads it.
func TestPageWithoutJavaScript(t *testing.T) {
	text := ask(t, only(&headway.Transport{}), "GET", "/").Body.String()
	require.Contains(t, text, `<noscript><meta http-equiv="refresh" content="10"></noscript>`)
	require.Contains(t, text, `<form method="get"`)
	require.Contains(t, text, `<button>Filter</button>`)
}
