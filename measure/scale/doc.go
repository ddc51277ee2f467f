// Package scale measures, in virtual time, how the cost of a request grows with the number of
// requests, partitions, waiters and clients. It also checks what does not depend on the machine:
// every request is served once and in order, memory is bounded, and the allocations of a request
// do not depend on the number of requests. Everything is in tests. measure/run scale writes the page.
//
// Without -write or -full the largest size, 1,000,000 requests over 10,000 partitions, is left
// out, as it takes longer than all others.
package scale
