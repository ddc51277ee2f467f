// Package conditional is a recipe for conditional requests, with a cache (github.com/gregjones/httpcache) above headway.
package conditional

import (
	"net/http"

	"github.com/gregjones/httpcache"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// Transport returns a cache above a headway.Transport with Cost. base sends the requests; nil is http.DefaultTransport.
//
//	client := &http.Client{Transport: conditional.Transport(httpcache.NewMemoryCache(), nil)}
//
// What the cache has and is fresh does not reach headway, so it never waits. For what is not fresh, the cache adds
// If-None-Match. A cache below headway would make hits wait, and headway read limits that are old.
//
// httpcache finds responses by their URL, so each user needs a cache of its own.
func Transport(cache httpcache.Cache, base http.RoundTripper) *httpcache.Transport {
	return &httpcache.Transport{Cache: cache, MarkCachedResponses: true, Transport: &headway.Transport{Base: base, Cost: Cost}}
}

// Cost is a headway.Transport.Cost for servers that count no request that they answer with 304 Not Modified, as GitHub
// does if it has Authorization. Such a request is taken for free and waits for no quota, but for holds. If the answer is
// another one, the next response shows what it has used.
func Cost(req *http.Request, _ limits.Unit) int64 {
	if req.Header.Get("If-None-Match") != "" || req.Header.Get("If-Modified-Since") != "" {
		return 0
	}
	return -1
}
