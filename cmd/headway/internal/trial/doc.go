// Package trial has tests only. They try the program headway proxy as its users do: with clients that nobody here wrote,
// on a server that limits, and beside other proxies.
//
//	TestClients   do bare clients get all that they ask for, once they go through the proxy?
//	TestLatency   what does the proxy add to a request? Only with -latency, since it measures time
//
// With -write they write their tables into docs/proxy.md.
package trial
