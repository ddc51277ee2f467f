package browsertest

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// A tab shows the page, and records problems and requests.
type tab struct {
	*browser
	ctx  context.Context
	page string // its address

	mu       sync.Mutex
	problems []string // console errors, exceptions, violations of the Content-Security-Policy
	requests []string // their addresses
}

// newTab opens a tab of a browser. It does not load the page yet.
func newTab(t *testing.T, browser *browser, w *world) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser.ctx)
	t.Cleanup(cancel)
	b := &tab{browser: browser, ctx: ctx, page: w.URL + "/debug/headway"}
	require.NoError(t, chromedp.Listen(ctx, b.note))
	_, err := chromedp.Call(ctx, audits.Enable, cdp.Empty{})
	require.NoError(t, err)
	b.width(t, 1180)
	return b
}

// note runs on the goroutine that reads the browser's events.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, "console: "+string(e.Type))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, "log: "+e.Entry.Text)
	case *audits.EventIssueAdded:
		b.problems = append(b.problems, "issue: "+string(e.Issue.Code))
	}
}

// requireClean requires that there were no problems, and no requests to other servers.
func (b *tab) requireClean(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.problems)
	require.NotEmpty(t, b.requests)
	origin, err := url.Parse(b.page)
	require.NoError(t, err)
	for _, request := range b.requests {
		u, err := url.Parse(request)
		require.NoError(t, err)
		if u.Scheme != "data" { // the icon is in the page itself
			require.Equal(t, origin.Host, u.Host, request)
			require.Equal(t, origin.Path, u.Path, request)
		}
	}
}

// open loads the page with a query, which may be "".
func (b *tab) open(t *testing.T, query string) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, chromedp.Navigate(b.page+query), chromedp.WaitReady(chromedp.CSS("main"))))
}

// refresh makes the page refresh itself at once, and waits for that.
func (b *tab) refresh(t *testing.T) {
	t.Helper()
	evaluate[bool](t, b, mark+"; "+again)
	eventually(t, b, refreshed)
}

// Scripts that run before and after a refresh without a reload.
const (
	mark      = `window.mark = 1; window.was = document.querySelector("time").dateTime; true`
	refreshed = `window.mark === 1 && document.querySelector("time").dateTime !== window.was`
)

func (b *tab) width(t *testing.T, pixels int64) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(pixels, 800)))
}

// names returns the names of the partitions on the page, without hashes of credentials.
func (b *tab) names(t *testing.T) []string {
	t.Helper()
	return evaluate[[]string](t, b, `[...document.querySelectorAll("tbody.partition th bdi")].map((e) => e.textContent)`)
}

// evaluate returns the value of a JavaScript expression.
func evaluate[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return value
}

// eventually waits until a JavaScript expression is true.
func eventually(t *testing.T, b *tab, expression string) {
	t.Helper()
	require.Eventually(t, func() bool {
		value, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
		return err == nil && value
	}, 10*time.Second, 50*time.Millisecond, expression)
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }
