// Package docs tests that what the documents say is what the code does.
package docs
