// Package identity determines the partition of a request, from its origin and credential,
// and its route. It also makes the partition's name for other processes.
package identity

import (
	"hash/maphash"
	"net/http"
	"strings"
)

// A Key identifies the partition of a request. It consists of parts of the request, so
// that finding a partition allocates nothing. Requests of one partition have equal Keys
// within a process, once these are normalised. The zero Key is that of a request that is not paced.
type Key struct {
	Scheme     string // "" if Transport.Partition named the partition
	Host       string // host and port, or that name
	Credential uint64 // a keyed hash; 0: no credential
}

// SetDefault sets k, which is empty, to the default key of a request: its origin and its
// credentials. k stays empty if the request has no scheme or no host. req.URL must not be
// nil. SetDefault allocates only if the origin has to be normalised.
func (k *Key) SetDefault(req *http.Request) {
	k.SetSpelled(req)
	k.Normalize()
}

// SetSpelled is SetDefault with the origin as the request spells it. Nearly all requests spell it as the partition does,
// so a partition is searched for first, and Normalize called only if there is none.
func (k *Key) SetSpelled(req *http.Request) {
	host := req.URL.Host
	if host != "" && req.Host != "" {
		host = req.Host // usually equal; several hosts may share an address
	}
	if req.URL.Scheme == "" || host == "" {
		return
	}
	k.Scheme, k.Host, k.Credential = req.URL.Scheme, host, credential(req)
	if host[0] == ':' { // without its port it may be empty
		k.Normalize()
	}
}

// Normalize spells the origin of a default key in the usual way (RFC 6454 §4): in lower case, and
// without the scheme's port. It reports whether that changed k. Other keys have no spellings.
func (k *Key) Normalize() (isChanged bool) {
	if k.Scheme == "" {
		return false
	}
	spelled := *k
	k.Scheme, k.Host = strings.ToLower(k.Scheme), strings.ToLower(k.Host)
	switch k.Scheme {
	case "http":
		k.Host = strings.TrimSuffix(k.Host, ":80")
	case "https":
		k.Host = strings.TrimSuffix(k.Host, ":443")
	}
	if k.Host = strings.TrimSuffix(k.Host, ":"); k.Host == "" {
		*k = Key{}
	}
	return *k != spelled
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

// String returns the partition's name, as users see it. It contains a hash of the credential, never the credential.
func (k *Key) String() string {
	if k.Scheme == "" {
		return k.Host
	}
	return k.Scheme + "://" + k.Host + k.mark()
}
