package headway

import (
	"net/http"

	"github.com/headway-go/headway/internal/identity"
)

// DefaultPartition names the partition of a request when [Transport.Partition]
// is nil: scheme, host and port of its URL and, if it carries credentials, a
// hash of them:
//
//	https://api.example.com#c0ffee5a17ed0a75
//
// Host names are lower-cased, and a scheme's default port is the same as none. If the
// request's Host is set and another than its URL's, it counts instead: many hosts may
// share an address.
//
// Credentials are user and password in the URL and the usual header fields
// (Authorization, X-Api-Key, X-Auth-Token, Private-Token and the like, see the
// README); cookies and query parameters do not count. An Authorization that is
// made anew for every request (AWS Signature, OAuth 1, Digest, Hawk, HTTP
// signatures) counts by the part that stays: access key id, consumer key and
// token, username, keyid. A bearer token counts as a whole: where one is made anew for
// each request or every few minutes (a JWT that is signed by the client), each has a
// partition of its own and nothing is learned from one to the next, so set
// Transport.Partition then. The hash is keyed with a secret drawn when the
// process starts, so it reveals nothing about the credentials and has no
// meaning in another process (but see [Transport.Snapshot]).
//
// It returns "" for a request without scheme or host. A custom function may
// call it and add to its result. It is safe for concurrent use.
func DefaultPartition(req *http.Request) string {
	var k identity.Key
	k.SetDefault(req)
	return k.String()
}

// paces sets k, which is empty, to the key of the request's partition. It
// reports false for a request that is not paced.
func (t *Transport) paces(req *http.Request, k *identity.Key) bool {
	switch {
	case req.URL == nil: // Base has the words for it
	case t.Partition != nil:
		k.Host = t.Partition(req)
	default:
		k.SetDefault(req)
	}
	return k.Host != ""
}
