package browsertest

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var (
	screenshot = flag.String("screenshot", "", "write a picture of the page to this `file`")
	scheme     = flag.String("scheme", "light", "the color scheme of the picture: light or dark")
	width      = flag.Int("width", 1180, "the width of the picture in `pixels`")
	height     = flag.Int("height", 800, "the height of the picture in `pixels`")
	after      = flag.Duration("after", 6*time.Second, "how long the program has run when the picture is taken")
)

// TestScreenshot takes the picture for the documentation.
func TestScreenshot(t *testing.T) {
	if *screenshot == "" {
		t.Skip("no picture is asked for: set -screenshot")
	}
	tab := newBrowser(t).ctx
	w := newWorld(t)
	pause(t.Context(), *after)
	_, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: *scheme}},
	})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(tab,
		chromedp.EmulateViewport(int64(*width), int64(*height)),
		chromedp.Navigate(w.URL+"/debug/headway"),
		chromedp.WaitVisible(chromedp.CSS("tbody.partition")),
	))
	picture, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(*screenshot, picture, 0o644))
}
