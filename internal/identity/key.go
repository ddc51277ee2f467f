// Package identity tells whose request it is, and of which kind: the origin and the
// credential that make its partition, the name by which another process finds that one
// again, and the route that limits may apply to.
package identity

import (
	"hash/maphash"
	"net/http"
	"strings"
	"unicode/utf8"
)

// A Key says which partition a request belongs to. It is made of parts of the
// request rather than one string, so that finding a partition allocates nothing. Keys
// can be compared; those of equal requests are equal within a process. The zero Key is
// that of a request that is not paced.
type Key struct {
	Scheme     string // "" with a name that the caller chose
	Host       string // host and port, or the chosen name
	Credential uint64 // a hash; 0: none
}

// SetDefault sets k, which is empty, to the key that a request has by itself: its
// origin and its credentials. k stays empty if the request has no scheme or no host.
// It reads req.URL, which must not be nil, req.Host and req.Header, and allocates
// nothing where there is nothing to normalise.
func (k *Key) SetDefault(req *http.Request) {
	scheme, host := origin(req)
	if scheme == "" || host == "" {
		return
	}
	k.Scheme, k.Host, k.Credential = scheme, host, credential(req)
}

// origin returns the scheme and the host with its port (RFC 6454 §4), "" for
// what is missing. The host is the one that the request names to the server, which the
// address in its URL may be shared with others.
func origin(req *http.Request) (scheme, host string) {
	scheme, host = req.URL.Scheme, req.URL.Host
	if host != "" && req.Host != "" {
		host = req.Host // mostly the same
	}
	if (scheme == "https" || scheme == "http") && isNormal(host) {
		return scheme, host
	}
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme, strings.TrimSuffix(host, ":")
}

// isNormal reports that there is nothing to change in a host, as in most.
func isNormal(host string) bool {
	for i := range len(host) {
		if c := host[i]; c >= ':' && c <= 'Z' || c >= utf8.RuneSelf { // a port or a capital; no host has what is between
			return false
		}
	}
	return true
}

// Hash returns what partitions are found by. It is keyed, so no one can choose many hosts or names with the
// same hash. Of the scheme its length counts, which tells https from http.
func (k *Key) Hash() uint64 {
	return maphash.String(hashSeed, k.Host) + k.Credential + uint64(len(k.Scheme))
}

// Clone returns a copy that keeps nothing of the request alive. The usual schemes take no memory of their own.
func (k *Key) Clone() Key {
	c := Key{Host: strings.Clone(k.Host), Credential: k.Credential}
	switch k.Scheme {
	case "http":
		c.Scheme = "http"
	case "https":
		c.Scheme = "https"
	default:
		c.Scheme = strings.Clone(k.Scheme)
	}
	return c
}

// String returns the partition's name, as users see it. The credential is never
// shown as it is.
func (k *Key) String() string {
	if k.Scheme == "" {
		return k.Host
	}
	return k.Scheme + "://" + k.Host + k.mark()
}
