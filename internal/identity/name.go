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
	return s.Of("chosen", s.spell(k, req, 32))
}

// Shown returns the partition's name for people, as Key.String does, but with a hash that all these processes make.
func (s NameKey) Shown(k Key, req *http.Request) string { return s.spell(k, req, 16) }

// spell returns the name of k with so many digits of the Name of its credentials. A chosen name has credentials if it
// contains the result of DefaultPartition.
func (s NameKey) spell(k Key, req *http.Request, digits int) string {
	name, origin := k.String(), k
	if k.Scheme == "" {
		origin = Default(req)
	}
	if mark := origin.mark(); mark != "" && strings.Contains(name, mark) {
		return strings.ReplaceAll(name, mark, "#"+s.credentials(origin, req)[:digits])
	}
	return name
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
