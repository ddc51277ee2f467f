// Package proxy is a reverse proxy whose transport is [headway.Transport]. It is the command headway proxy, for
// programs in any language that share the rate limits of an API.
//
// One request goes this way:
//
//	Run           run.go          listens, serves, reloads (build.go), and ends in order
//	connections   connections.go  bounds those of clients
//	entrance                      bounds the requests of one client, and closes at the end
//	server        server.go       for which upstream is the request, may it be sent? A reload makes a new one
//	exchange      exchange.go     the request with its response, and its line in the access log
//	access        access.go       who may ask: host names, web pages, tokens
//	fields        fields.go       Headway-Priority, Headway-Cost and Headway-Max-Wait; requests whose end is doubtful
//	recording     recording.go    keeps the content of the request while it may have to be sent again, and memory allows
//	upstream      upstream.go     httputil.ReverseProxy with a headway.Transport
//	links         links.go        Location and Link of the response lead back to the proxy
//	problem       problem.go      what a client gets if there is no response of the upstream, and why
//
// Beside that way are the pages of the proxy itself with its metrics (own.go), the log (log.go), deadlines for slow clients
// and upstreams (deadlines.go), snapshots and secrets (secret.go). build.go makes all of it from a Config
// (config.go), which is read (file.go) and checked (check.go) before.
//
// Package httputil does what is known about proxies: hop-by-hop fields, streams, trailers, upgrades. This package adds what
// pacing needs.
package proxy
