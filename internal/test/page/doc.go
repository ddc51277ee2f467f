// Package page reads and writes the pages in docs, as a whole or the parts of them that a command writes, and makes
// tables in Markdown. Programs and tests that measure use it. It imports neither headway nor package testing.
package page
