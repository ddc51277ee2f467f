// Package retries tests which throttled requests are sent again, when and with what, and how a request
// is refused that would wait too long.
package retries
