// Package retries tests which throttled requests are sent again, when and with which body. It also tests
// how headway refuses requests that would wait too long.
package retries
