// Package ratelimittest provides rate-limiting HTTP servers for tests.
package ratelimittest
