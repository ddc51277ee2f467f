// Package identity determines the partition of a request, from its origin and credential,
// and its route. It also makes the partition's name for other processes.
package identity

import (
	"hash/maphash"
	"net/http"
	"strings"
	"unicode/utf8"
)

// A Key identifies the partition of a request. It consists of parts of the request, so
// that finding a partition allocates nothing. Requests of one partition have equal Keys
// within a process. The zero Key is that of a request that is not paced.
type Key struct {
	Scheme     string // "" if Transport.Partition named the partition
	Host       string // host and port, or that name
	Credential uint64 // a keyed hash; 0: no credential
}

// SetDefault sets k, which is empty, to the default key of a request: its origin and its
// credentials. k stays empty if the request has no scheme or no host. req.URL must not be
// nil. SetDefault allocates only if the origin has to be normalised.
func (k *Key) SetDefault(req *http.Request) {
	scheme, host := origin(req)
	if scheme == "" || host == "" {
		return
	}
	k.Scheme, k.Host, k.Credential = scheme, host, credential(req)
}

// origin returns the scheme, and the host with its port (RFC 6454 §4). Either is "" if it
// is missing. req.Host takes precedence over the URL's host, as several hosts may share
// an address.
func origin(req *http.Request) (scheme, host string) {
	scheme, host = req.URL.Scheme, req.URL.Host
	if host != "" && req.Host != "" {
		host = req.Host // usually equal
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

// isNormal reports whether a host needs no normalisation. Most do not.
func isNormal(host string) bool {
	for i := range len(host) {
		if c := host[i]; c >= ':' && c <= 'Z' || c >= utf8.RuneSelf { // a port or a capital; hosts have none of the bytes between
			return false
		}
	}
	return true
}

// Hash returns the hash by which the registry finds a partition. It is keyed, so nobody can choose many hosts
// or names with the same hash. Only the length of the scheme counts, which separates https from http.
func (k *Key) Hash() uint64 {
	return maphash.String(hashSeed, k.Host) + k.Credential + uint64(len(k.Scheme))
}

// Clone returns a copy that does not keep the request's memory alive. The usual schemes take no memory.
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

// String returns the partition's name, as users see it. It contains a hash of the
// credential, never the credential.
func (k *Key) String() string {
	if k.Scheme == "" {
		return k.Host
	}
	return k.Scheme + "://" + k.Host + k.mark()
}
