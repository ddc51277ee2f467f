package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var everyone = []string{
	`<img src=x onerror=hacked()>\u202e<script>hacked()</script>`, "http://files.example.com", "http://llm.example.com",
	"http://mail.example.com", "http://maps.example.com", "http://reports.example.com", "http://search.example.com", "http://status.example.com",
}

// TestPage opens tabs of one browser, with the page of one program.
func TestPage(t *testing.T) {
	browser := newBrowser(t)
	w := newWorld(t)
	w.sendAtOnce("hostile.example.com", "/", 1)
	w.await(t, func() bool { return len(w.transport.State()) == len(everyone) })

	for name, test := range map[string]func(*testing.T, *tab){
		"what is shown":             testShown,
		"names are text":            testNames,
		"what stays in a refresh":   testStays,
		"filter":                    testFilter,
		"filter without JavaScript": testWithoutJavaScript,
		"a program that is gone":    testGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newTab(t, browser, w))
		})
	}
}

func testShown(t *testing.T, b *tab) {
	t.Helper()
	b.open(t, "")
	names := b.names(t)
	require.Equal(t, everyone, sorted(names))
	require.Equal(t, "http://mail.example.com", names[0], "where requests wait for what is held")
	eventually(t, b, `document.querySelectorAll("tbody th bdi")[1].textContent === "http://reports.example.com"`) // where many requests wait for long
	cells := func(host string) []string {
		return evaluate[[]string](t, b, `[...document.querySelectorAll("tbody.partition")].filter((e) => e.textContent.includes("`+host+`"))
			.flatMap((e) => [...e.querySelectorAll("td b, td small")].map((e) => e.textContent))`)
	}
	mail := cells("mail.")
	require.Regexp(t, `^held until \d\d:\d\d:\d\d$`, mail[0])
	require.Regexp(t, `^in 1 min \d+ s$`, mail[1])
	require.Equal(t, "4", mail[6], "in the queue")
	require.Regexp(t, `^\d+ waits?( for the pace)?$`, cells("reports.")[0])
	require.Equal(t, "free", cells("status.")[0])
	b.requireClean(t)
}

func testNames(t *testing.T, b *tab) {
	t.Helper()
	b.open(t, "?filter=%22%3E%3Cimg+src%3Dx+onerror%3Dhacked()%3E")
	require.Empty(t, b.names(t))
	b.open(t, "?filter=onerror")
	require.Equal(t, everyone[:1], b.names(t))
	require.Equal(t, "<script>hacked()</script>", evaluate[string](t, b, `document.querySelector(".policy bdi").textContent`))
	require.Zero(t, evaluate[int](t, b, `document.querySelectorAll("main img, main script").length`))
	eventually(t, b, `document.querySelector("#status").textContent === "Live"`)
	b.requireClean(t)
}

// A refresh changes the numbers, and keeps the scroll position, the selection and the focus.
func testStays(t *testing.T, b *tab) {
	t.Helper()
	b.width(t, 390)
	b.open(t, "?filter=ma") // mail and maps together are higher than the window
	evaluate[bool](t, b, `
		window.name0 = document.querySelector(".held th bdi");
		window.figure = document.querySelector(".held .now small").textContent;
		window.details = document.querySelector("details"); window.details.open = true;
		getSelection().selectAllChildren(window.name0);
		document.querySelector("footer a").focus();
		scrollTo(0, 50); window.place = scrollY; true`)
	require.Positive(t, evaluate[float64](t, b, `window.place`))
	eventually(t, b, `document.querySelector(".held .now small").textContent !== window.figure`) // it ends sooner now
	b.refresh(t)
	require.True(t, evaluate[bool](t, b, `scrollY === window.place`), "the place")
	require.True(t, evaluate[bool](t, b, `window.name0.isConnected && getSelection().toString() === window.name0.textContent`), "the selection")
	require.True(t, evaluate[bool](t, b, `document.activeElement === document.querySelector("footer a")`), "the focus")
	require.True(t, evaluate[bool](t, b, `document.querySelector("details").open`), "what was opened")
	require.Equal(t, "ma", evaluate[string](t, b, `document.querySelector("#filter").value`))
	b.requireClean(t)
}

func testFilter(t *testing.T, b *tab) {
	t.Helper()
	b.open(t, "?other=1")
	evaluate[bool](t, b, mark)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#filter"), "MAPS")))
	eventually(t, b, `window.mark === 1 && document.querySelectorAll("tbody.partition").length === 1`)
	require.Equal(t, []string{"http://maps.example.com"}, b.names(t))
	require.Equal(t, "?other=1&filter=MAPS", evaluate[string](t, b, `location.search`), "to be kept, and sent to others")
	require.Equal(t, "?other=1&format=json&filter=MAPS", evaluate[string](t, b, `document.querySelector("#json").search`))
	b.refresh(t)
	require.Equal(t, []string{"http://maps.example.com"}, b.names(t), "it stays")
	evaluate[bool](t, b, mark)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#filter"), "\r")))
	eventually(t, b, refreshed) // not reloaded

	require.NoError(t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#filter"), " none")))
	eventually(t, b, `document.querySelector("main .none")?.textContent === "No partition has such a name."`)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#filter"), strings.Repeat("\b", len("MAPS none")))))
	eventually(t, b, `document.querySelectorAll("tbody.partition").length > 1`)
	require.Equal(t, "?other=1", evaluate[string](t, b, `location.search`))
	b.requireClean(t)
}

func testWithoutJavaScript(t *testing.T, b *tab) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, err)
	b.open(t, "")
	require.Equal(t, everyone, sorted(b.names(t)))
	require.False(t, evaluate[bool](t, b, `document.querySelector("#pause").checkVisibility()`))
	require.Equal(t, "Refreshed every 10 s", evaluate[string](t, b, `document.querySelector("#status").innerText`))
	require.Equal(t, "10", evaluate[string](t, b, `document.querySelector("meta[http-equiv=refresh]").content`))

	require.NoError(t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#filter"), "maps")))
	_, err = chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS("form button")))
	require.NoError(t, err)
	require.Equal(t, []string{"http://maps.example.com"}, b.names(t))
	require.Equal(t, "?filter=maps", evaluate[string](t, b, `location.search`))
	require.Equal(t, "maps", evaluate[string](t, b, `document.querySelector("#filter").value`))
	b.requireClean(t)
}
