// Package clientgo is a recipe: the Kubernetes client (k8s.io/client-go) on headway.
package clientgo

import (
	"context"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/headway-go/headway"
)

// Config returns a copy of config whose clients leave it to headway when a request may go,
// and whether it goes again. wrap puts headway below them, on top of what client-go makes
// for the certificates and proxies that config tells of:
//
//	paced := clientgo.Config(config, clientgo.Transport)
//	network, err := rest.HTTPClientFor(paced) // one for all clients, so that they have one pace
//	...
//	client, err := kubernetes.NewForConfigAndClient(paced, network)
//
// How long a call may take is best said by its context. rest.Config.Timeout works as well,
// but what it bounds has the wait for a turn in it. A call that cannot start in time fails
// at once: errors.As finds a *headway.LimitError. Give a watch no deadline, but
// metav1.ListOptions.TimeoutSeconds: client-go would repeat one that cannot start in time.
//
// Leader election deserves a Config of its own, so that no lease is renewed too late because
// others wait.
func Config(config *rest.Config, wrap transport.WrapperFunc) *rest.Config {
	paced := rest.CopyConfig(config)

	// By default client-go sends 5 requests per second after the first 10, whatever the
	// server allows.
	paced.QPS, paced.RateLimiter = -1, nil

	paced.Wrap(func(base http.RoundTripper) http.RoundTripper { return final{wrap(base)} })
	return paced
}

// Transport returns a headway.Transport on top of base that goes by ByUser.
func Transport(base http.RoundTripper) http.RoundTripper {
	return &headway.Transport{Base: base, Partition: ByUser}
}

// ByUser is the headway.Transport.Partition for the clients of one rest.Config. These have
// one user, or several whom it impersonates. The default would go by the token, and know
// nothing of the server whenever that is a new one. Evictions are left out: a 429 says of
// them that a disruption budget allows none now, and has nothing to do with a limit. It is
// safe for concurrent use.
func ByUser(req *http.Request) string {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/eviction") {
		return ""
	}
	if user := req.Header.Get(transport.ImpersonateUserHeader); user != "" {
		return req.URL.Host + " as " + user
	}
	return req.URL.Host
}

// final takes Retry-After from refusals that headway has made, or has sent again as often as
// it may. client-go goes by that, sends them up to ten times more, and has no option not to:
// one call would become up to 44 requests.
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
