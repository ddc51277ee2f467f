// Package mistakes tests limits that a server reports by mistake: the Transport takes a second look, and the caller can
// make it forget them.
package mistakes
