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

// A Name is what a partition, or something in it, is called in snapshots and by a Fleet:
// the same in every process that has the same NameKey. Who does not have it cannot tell
// what origin or credential a name stands for.
type Name string

// A NameKey is the secret that Names are made with. Its methods may be called concurrently.
type NameKey []byte

// Partition names the partition that a request belongs to. k is its Key, whose
// hash of the credentials has no meaning in another process.
func (s NameKey) Partition(k *Key, req *http.Request) Name {
	if k.Scheme != "" {
		return s.Of("origin", k.Scheme, k.Host, s.credentials(k, req))
	}
	chosen := k.Host
	var origin Key
	origin.SetDefault(req)
	if mark := origin.mark(); mark != "" && strings.Contains(chosen, mark) { // made with DefaultPartition
		chosen = strings.ReplaceAll(chosen, mark, "#"+string(s.credentials(&origin, req)))
	}
	return s.Of("chosen", chosen)
}

// credentials stands for the credentials that a request carries, "" if it has none.
func (s NameKey) credentials(k *Key, req *http.Request) string {
	if k.Credential == 0 {
		return ""
	}
	var all []string
	eachCredential(req, func(a, b, c string) { all = append(all, string(s.Of("credential", a, b, c))) })
	slices.Sort(all) // a header has no order
	return string(s.Of("credentials", all...))
}

// Of names what has these parts: it is a keyed hash, one for each kind and list of parts.
func (s NameKey) Of(kind string, parts ...string) Name {
	mac := hmac.New(sha256.New, s)
	for _, part := range append([]string{kind}, parts...) {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return Name(hex.EncodeToString(mac.Sum(nil)[:16]))
}
