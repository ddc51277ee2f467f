// Package sim has what the suites of headway need of servers and workloads beyond package ratelimittest: dialects that
// few servers speak, limits that change during a run, and requests at given times. It is built on ratelimittest's
// exported names, and shows how a test adds to them.
package sim
