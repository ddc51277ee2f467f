package browsertest

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const (
	poll = 20 * time.Millisecond
	// quiet is how long a page must not refresh while it is stopped. It would refresh every two seconds.
	quiet = 2500 * time.Millisecond
)

// The page does not refresh while it is paused or hidden. A headless browser cannot hide a tab, so the test fakes the page's
// visibility.
func testStopped(t *testing.T, b *tab) {
	t.Helper()
	hide := func(hidden string) {
		evaluate[bool](t, b, `Object.defineProperty(document, "hidden", {value: `+hidden+`, configurable: true});
			document.dispatchEvent(new Event("visibilitychange")); true`)
	}
	b.open(t, "")
	hide("true")
	require.Equal(t, "Stopped while hidden", evaluate[string](t, b, `document.querySelector("#status").textContent`))
	before := b.asked()
	pause(t.Context(), quiet)
	require.Equal(t, before, b.asked())
	evaluate[bool](t, b, mark)
	hide("false")
	eventually(t, b, refreshed)
	require.Equal(t, "Live", evaluate[string](t, b, `document.querySelector("#status").textContent`))

	require.NoError(t, chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("#pause"))))
	eventually(t, b, `document.querySelector("#status").textContent === "Paused"`)
	before = b.asked()
	require.NoError(t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#filter"), "?"))) // matches no name
	eventually(t, b, `document.querySelectorAll("tbody.partition").length === 0`)
	pause(t.Context(), quiet)
	require.Equal(t, before+1, b.asked(), "as the reader has asked")
	evaluate[bool](t, b, mark)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("#pause"))))
	eventually(t, b, refreshed)
	b.requireClean(t)
}

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
