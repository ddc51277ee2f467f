// Package identity determines the partition of a request, from its origin and credential, and its route. It also makes the
// partition's name for other processes.
package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"net/http"
	"strings"
)

// The secrets of hashes are drawn when the process starts and never change, so nobody can choose texts with equal hashes.
// maphash is fast, but its results might reveal its seed. So users see a cryptographic hash of them.
//
//nolint:gochecknoglobals // headway.DefaultPartition is a function, and its results must agree within a process.
var (
	hashSeed   = maphash.MakeSeed()
	nameSecret = rand.Text()
)

// A Key identifies the partition of a request. Requests of one partition have equal Keys within a process. The zero Key is
// that of a request that is not paced.
type Key struct {
	Scheme     string // "" if Transport.Partition named the partition
	Host       string // host and port, or that name
	Credential uint64 // a keyed hash; 0: no credential
}

// Default returns the default key of a request: its origin and its credentials. It is empty if the request has no scheme or
// no host. req.URL must not be nil.
func Default(req *http.Request) Key { return Spelled(req).Normalized() }

// Spelled is Default with the origin as the request spells it, which nearly always is the usual way. Its strings are parts
// of the request.
func Spelled(req *http.Request) Key {
	host := req.URL.Host
	if host != "" && req.Host != "" {
		host = req.Host // usually equal; several hosts may share an address
	}
	if req.URL.Scheme == "" || host == "" {
		return Key{}
	}
	return Key{Scheme: req.URL.Scheme, Host: host, Credential: credential(req)}
}

// Normalized spells the origin of a default key in the usual way (RFC 6454 §4): in lower case, and without the scheme's
// port. Other keys have no spellings.
func (k Key) Normalized() Key {
	if k.Scheme == "" {
		return k
	}
	k.Scheme, k.Host = strings.ToLower(k.Scheme), strings.ToLower(k.Host)
	switch k.Scheme {
	case "http":
		k.Host = strings.TrimSuffix(k.Host, ":80")
	case "https":
		k.Host = strings.TrimSuffix(k.Host, ":443")
	}
	k.Host = strings.TrimSuffix(k.Host, ":")
	return k
}

// Clone returns a copy that does not keep the request's memory alive, which may contain secrets.
func (k Key) Clone() Key {
	return Key{Scheme: strings.Clone(k.Scheme), Host: strings.Clone(k.Host), Credential: k.Credential}
}

// String returns the partition's name, as users see it. It contains a hash of the credential, never the credential.
func (k Key) String() string {
	if k.Scheme == "" {
		return k.Host
	}
	return k.Scheme + "://" + k.Host + k.mark()
}

// mark is the part of a partition's name for the credential; "" if there is none.
func (k Key) mark() string {
	if k.Credential == 0 {
		return ""
	}
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(nameSecret), k.Credential))
	return "#" + hex.EncodeToString(sum[:8])
}
