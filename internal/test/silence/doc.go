// Package silence tests servers that do not report their limits. headway has to find the rate, or the number of concurrent
// requests, by refusals.
package silence
