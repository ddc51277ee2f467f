package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// A Name identifies a partition, or something in it, in snapshots and fleets. All processes with the same NameKey make the
// same Names. Without the NameKey nobody can find the origin or the credential of a Name.
type Name string

// A NameKey is the secret for making Names. Its methods may be called concurrently.
type NameKey []byte

// Partition returns the Name of the request's partition. k is the Key of the request. Its hash of the credentials is of no
// use, as other processes have other hashes.
func (s NameKey) Partition(k Key, req *http.Request) Name {
	if k.Scheme != "" {
		return s.Of("origin", k.Scheme, k.Host, s.credentials(k, req))
	}
	chosen := k.Host
	origin := Default(req)
	if mark := origin.mark(); mark != "" && strings.Contains(chosen, mark) { // the chosen name contains the result of DefaultPartition
		chosen = strings.ReplaceAll(chosen, mark, "#"+s.credentials(origin, req))
	}
	return s.Of("chosen", chosen)
}

// credentials returns a Name for the request's credentials; "" if it has none.
func (s NameKey) credentials(k Key, req *http.Request) string {
	if k.Credential == 0 {
		return ""
	}
	var all []string
	eachCredential(req, func(a, b, c string) { all = append(all, string(s.Of("credential", a, b, c))) })
	slices.Sort(all) // header fields have no order
	return string(s.Of("credentials", all...))
}

// Of returns the Name for a kind and its parts. It is a keyed hash of them.
func (s NameKey) Of(kind string, parts ...string) Name {
	mac := hmac.New(sha256.New, s)
	for _, part := range append([]string{kind}, parts...) {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return Name(hex.EncodeToString(mac.Sum(nil)[:16]))
}
