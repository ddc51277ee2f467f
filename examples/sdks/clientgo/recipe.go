// Package clientgo is a recipe for using headway with the Kubernetes client (k8s.io/client-go).
package clientgo

import (
	"context"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/headway-go/headway"
)

// Config returns a copy of config for clients that leave pacing and resends to headway. wrap adds headway
// between the clients and client-go's own transport, which handles the certificates and proxies of config:
//
//	paced := clientgo.Config(config, clientgo.Transport)
//	network, err := rest.HTTPClientFor(paced) // one for all clients, so that they share one pace
//	...
//	client, err := kubernetes.NewForConfigAndClient(paced, network)
//
// To bound a call, set a deadline on its context. rest.Config.Timeout works as well, and includes the wait in
// headway's queue. A call that cannot be sent before its deadline fails at once: errors.As finds a
// *headway.LimitError. Bound a watch by metav1.ListOptions.TimeoutSeconds instead of a deadline: client-go
// would retry a watch that headway refuses.
//
// Use a separate Config for leader election, so that other requests in the queue do not delay the renewal of
// a lease.
func Config(config *rest.Config, wrap transport.WrapperFunc) *rest.Config {
	paced := rest.CopyConfig(config)

	// By default client-go sends 5 requests per second after the first 10, regardless of the server's limit.
	paced.QPS, paced.RateLimiter = -1, nil

	paced.Wrap(func(base http.RoundTripper) http.RoundTripper { return final{wrap(base)} })
	return paced
}

// Transport returns a headway.Transport on top of base, with ByUser as its Partition.
func Transport(base http.RoundTripper) http.RoundTripper {
	return &headway.Transport{Base: base, Partition: ByUser}
}

// ByUser is a headway.Transport.Partition for the clients of one rest.Config. They act as one user, or as
// several whom they impersonate. The default partition depends on the token, so each new token would lose
// what was learned.
//
// The result for an eviction is "", so headway does not pace it. A 429 to an eviction means that a disruption
// budget allows none now, which is not a rate limit. ByUser is safe for concurrent use.
func ByUser(req *http.Request) string {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/eviction") {
		return ""
	}
	if user := req.Header.Get(transport.ImpersonateUserHeader); user != "" {
		return req.URL.Host + " as " + user
	}
	return req.URL.Host
}

// final removes Retry-After from refusals by headway, and from those of requests that headway has sent again
// as often as it may. client-go retries up to ten times if a response has Retry-After, and has no option to
// turn that off. One call would become up to 44 requests.
type final struct{ base http.RoundTripper }

func (f final) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := f.base.RoundTrip(req)
	again, _ := headway.CheckRetry(always)(req.Context(), resp, err)
	if resp != nil && !again && ByUser(req) != "" {
		resp.Header.Del("Retry-After")
	}
	return resp, err
}

func always(context.Context, *http.Response, error) (bool, error) { return true, nil }
