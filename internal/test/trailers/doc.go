// Package trailers has the tests of limits that servers report in trailer sections.
package trailers
