package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long all that is done with a browser may take.
const patience = 3 * time.Minute

// browserNames are those that the browser has in PATH.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}

// findBrowser returns the browser to test with. Without one the test is skipped, or
// fails where HEADWAY_BROWSER is "required".
func findBrowser(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range browserNames {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const none = "no browser: none of %q in PATH, and $CHROMIUM is not set"
	if os.Getenv("HEADWAY_BROWSER") == "required" {
		require.FailNowf(t, "a browser is required", none, browserNames)
	}
	t.Skipf(none, browserNames)
	return ""
}

// A browser is one that was started for a test.
type browser struct{ ctx context.Context } // of its first tab

// newBrowser starts a browser, which ends with the test.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findBrowser(t)),
		chromedp.Flag("disable-dev-shm-usage", true), // it is small in containers
		chromedp.Flag("hide-scrollbars", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // as root it does not run with one
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
