package browsertest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// again makes the page refresh at once.
const again = `document.dispatchEvent(new Event("visibilitychange"))`

// If the program cannot be reached, the page says so and keeps its content. It goes on when the program is
// back.
func testGone(t *testing.T, shared *tab) {
	t.Helper()
	w := newWorld(t) // not shared with other tests
	b := newTab(t, shared.browser, w)
	b.open(t, "")
	b.requireClean(t)
	before := len(b.names(t))

	w.broken.Store(503)
	evaluate[bool](t, b, again)
	eventually(t, b, `/^No update since \d\d:\d\d:\d\d UTC: it answers 503$/.test(document.querySelector("#status").textContent)`)
	w.broken.Store(302)
	evaluate[bool](t, b, again)
	eventually(t, b, `/: it answers with another page$/.test(document.querySelector("#status").textContent)`)
	require.Len(t, b.names(t), before)
	require.True(t, evaluate[bool](t, b, `document.documentElement.classList.contains("gone")`))

	w.broken.Store(0)
	b.refresh(t)
	require.Equal(t, "Live", evaluate[string](t, b, `document.querySelector("#status").textContent`))
	require.False(t, evaluate[bool](t, b, `document.documentElement.classList.contains("gone")`))

	require.NoError(t, w.Listener.Close())
	w.CloseClientConnections()
	evaluate[bool](t, b, again)
	eventually(t, b, `/^No update since \d\d:\d\d:\d\d UTC$/.test(document.querySelector("#status").textContent)`)
	require.Len(t, b.names(t), before)
}
