package headway

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// DefaultPartition names the partition of a request when [Transport.Partition]
// is nil: scheme, host and port of its URL and, if it carries credentials, a
// hash of them:
//
//	https://api.example.com#5e884898da280471
//
// Host names are lower-cased, and a scheme's default port is the same as none.
// Credentials are user and password in the URL and the usual header fields
// (Authorization, X-Api-Key, X-Auth-Token, Private-Token and the like, see the
// README); cookies and query parameters do not count. An Authorization that is
// made anew for every request (AWS Signature, OAuth 1, Digest, Hawk, HTTP
// signatures) counts by the part that stays: access key id, consumer key and
// token, username, keyid. The hash is keyed with a secret drawn when the
// process starts, so it reveals nothing about the credentials and has no
// meaning in another process.
//
// It returns "" for a request without scheme or host. A custom function may
// call it and add to its result. It is safe for concurrent use.
func DefaultPartition(req *http.Request) string {
	return defaultKey(req).String()
}

// A key tells partitions apart. It is a struct of parts of the request rather
// than one string, so that finding a partition allocates nothing.
type key struct {
	scheme     string // "" in a name chosen by Transport.Partition
	host       string // host and port, or the chosen name
	credential uint64 // never shown: see String
}

// key returns the key of the request's partition, and false for a request that
// is not paced.
func (t *Transport) key(req *http.Request) (key, bool) {
	if req.URL == nil {
		return key{}, false // Base has the words for it
	}
	k := key{}
	if t.Partition != nil {
		k.host = t.Partition(req)
	} else {
		k = defaultKey(req)
	}
	return k, k.host != ""
}

func defaultKey(req *http.Request) key {
	scheme, host := origin(req.URL)
	if scheme == "" || host == "" {
		return key{}
	}
	return key{scheme: scheme, host: host, credential: credential(req)}
}

// origin returns the scheme and the host with its port (RFC 6454 §4), "" for
// what is missing.
func origin(u *url.URL) (scheme, host string) {
	scheme, host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme, strings.TrimSuffix(host, ":")
}

// clone returns the key with strings of its own, which keep no request alive.
func (k key) clone() key {
	return key{scheme: strings.Clone(k.scheme), host: strings.Clone(k.host), credential: k.credential}
}

// String returns the partition's name, as users see it.
func (k key) String() string {
	switch {
	case k.scheme == "":
		return k.host
	case k.credential == 0:
		return k.scheme + "://" + k.host
	}
	// maphash is fast but not made to withstand analysis of its results, so
	// what is shown went through a cryptographic hash as well.
	input := make([]byte, 0, 40)
	secret := nameSecret()
	input = append(input, secret[:]...)
	input = binary.LittleEndian.AppendUint64(input, k.credential)
	sum := sha256.Sum256(input)
	return k.scheme + "://" + k.host + "#" + hex.EncodeToString(sum[:8])
}

// nameSecret is drawn once per process and never changes.
//
//nolint:gochecknoglobals // DefaultPartition is a function, and its results must agree within a process.
var nameSecret = sync.OnceValue(func() (secret [32]byte) {
	rand.Read(secret[:]) //nolint:errcheck // It never returns an error since Go 1.24.
	return secret
})
