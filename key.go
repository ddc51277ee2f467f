package headway

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
)

// DefaultPartition names the partition of a request when [Transport.Partition]
// is nil: scheme, host and port of its URL and, if it carries credentials, a
// hash of them:
//
//	https://api.example.com#c0ffee5a17ed0a75
//
// Host names are lower-cased, and a scheme's default port is the same as none.
// Credentials are user and password in the URL and the usual header fields
// (Authorization, X-Api-Key, X-Auth-Token, Private-Token and the like, see the
// README); cookies and query parameters do not count. An Authorization that is
// made anew for every request (AWS Signature, OAuth 1, Digest, Hawk, HTTP
// signatures) counts by the part that stays: access key id, consumer key and
// token, username, keyid. The hash is keyed with a secret drawn when the
// process starts, so it reveals nothing about the credentials and has no
// meaning in another process (but see [Transport.Snapshot]).
//
// It returns "" for a request without scheme or host. A custom function may
// call it and add to its result. It is safe for concurrent use.
func DefaultPartition(req *http.Request) string {
	var k key
	k.setDefault(req)
	return k.String()
}

// A key says which partition a request belongs to. It is made of parts of the
// request rather than one string, so that finding a partition allocates nothing.
type key struct {
	scheme     string // "" with a name chosen by Transport.Partition
	host       string // host and port, or the chosen name
	credential uint64 // a hash; 0: none
}

// paces sets k, which is empty, to the key of the request's partition. It
// reports false for a request that is not paced.
func (t *Transport) paces(req *http.Request, k *key) bool {
	switch {
	case req.URL == nil: // Base has the words for it
	case t.Partition != nil:
		k.host = t.Partition(req)
	default:
		k.setDefault(req)
	}
	return k.host != ""
}

func (k *key) setDefault(req *http.Request) {
	scheme, host := origin(req.URL)
	if scheme == "" || host == "" {
		return
	}
	k.scheme, k.host, k.credential = scheme, host, credential(req)
}

// origin returns the scheme and the host with its port (RFC 6454 §4), "" for
// what is missing.
func origin(u *url.URL) (scheme, host string) {
	scheme, host = u.Scheme, u.Host
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
		if c := host[i]; c == ':' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hash returns what partitions are found by. It is keyed, so no one can choose
// names that collide; two of 131,072 partitions would share their state once in
// two billion programs.
func (k *key) hash() uint64 {
	return k.credential + maphash.String(hashSeed, k.host) + 3*maphash.String(hashSeed, k.scheme)
}

// clone returns a copy that keeps nothing of the request alive.
func (k *key) clone() key {
	return key{scheme: strings.Clone(k.scheme), host: strings.Clone(k.host), credential: k.credential}
}

// String returns the partition's name, as users see it. The credential is never
// shown as it is.
func (k *key) String() string {
	if k.scheme == "" {
		return k.host
	}
	return k.scheme + "://" + k.host + k.mark()
}

// mark is what a name has of the credential; "" if there is none.
func (k *key) mark() string {
	if k.credential == 0 {
		return ""
	}
	// maphash is fast but not made to withstand analysis of its results, so
	// what is shown went through a cryptographic hash as well.
	input := make([]byte, 0, 40)
	secret := nameSecret()
	input = append(input, secret[:]...)
	input = binary.LittleEndian.AppendUint64(input, k.credential)
	sum := sha256.Sum256(input)
	return "#" + hex.EncodeToString(sum[:8])
}

// hashSeed is drawn when the process starts and never changes.
//
//nolint:gochecknoglobals // DefaultPartition is a function, and its results must agree within a process.
var hashSeed = maphash.MakeSeed()

// nameSecret is drawn once per process and never changes.
//
//nolint:gochecknoglobals // DefaultPartition is a function, and its results must agree within a process.
var nameSecret = sync.OnceValue(func() (secret [32]byte) {
	_, _ = rand.Read(secret[:]) // it never fails, see its documentation
	return secret
})
