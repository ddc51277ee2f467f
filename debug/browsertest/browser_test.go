package browsertest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// patience bounds the time of all tests in a browser.
const patience = 3 * time.Minute

// findBrowser returns the path of the browser. Without a browser the test is skipped, or fails if
// HEADWAY_BROWSER is "required".
func findBrowser(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	return child.Need(t, "HEADWAY_BROWSER", "install one, or set $CHROMIUM", "chromium", "chromium-browser", "google-chrome", "headless-shell")
}

// A browser is one that was started for a test.
type browser struct{ ctx context.Context } // of its first tab

// newBrowser starts a browser, which ends with the test.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findBrowser(t)),
		chromedp.Flag("disable-dev-shm-usage", true), // shared memory is small in containers
		chromedp.Flag("hide-scrollbars", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox does not work for root
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx), "the browser starts")
	return &browser{ctx}
}
