// Package browsertest opens the page of package debug in a real browser and looks at what
// becomes of it: with and without JavaScript, light and dark, wide and narrow. It has
// only tests, and is a module of its own for the sake of what they need.
//
// The browser is found in PATH as chromium, chromium-browser, google-chrome or
// headless-shell, or at the path in $CHROMIUM. Without one the tests are skipped, unless
// $HEADWAY_BROWSER is "required".
package browsertest
