// Package browsertest tests the page of package debug in a real browser, with and without JavaScript. It has tests only.
// It is a module of its own because of their dependencies.
//
// The browser is found in PATH as chromium, chromium-browser, google-chrome or headless-shell, or at the path
// in $CHROMIUM. Without a browser the tests are skipped, unless $HEADWAY_BROWSER is "required".
package browsertest
