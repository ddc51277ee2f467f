package headway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// A stableName is what a partition is called in snapshots and by a Fleet: the same in
// every process that has the same key. Who does not have it cannot tell what
// origin or credential a name stands for.
type stableName string

// A nameKey is what stable names are made with.
type nameKey []byte

// stableName names the partition that a request belongs to. k is its key, whose
// hash of the credentials has no meaning in another process.
func (s nameKey) stableName(k *key, req *http.Request) stableName {
	if k.scheme != "" {
		return s.name("origin", k.scheme, k.host, s.credentials(k, req))
	}
	chosen := k.host
	var origin key
	origin.setDefault(req)
	if mark := origin.mark(); mark != "" && strings.Contains(chosen, mark) { // made with DefaultPartition
		chosen = strings.ReplaceAll(chosen, mark, "#"+string(s.credentials(&origin, req)))
	}
	return s.name("chosen", chosen)
}

// credentials stands for the credentials that a request carries, "" if it has none.
func (s nameKey) credentials(k *key, req *http.Request) string {
	if k.credential == 0 {
		return ""
	}
	var all []string
	eachCredential(req, func(a, b, c string) { all = append(all, string(s.name("credential", a, b, c))) })
	slices.Sort(all) // a header has no order
	return string(s.name("credentials", all...))
}

// name is a keyed hash of what is named, one for each kind and list of parts.
func (s nameKey) name(kind string, parts ...string) stableName {
	mac := hmac.New(sha256.New, s)
	for _, part := range append([]string{kind}, parts...) {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return stableName(hex.EncodeToString(mac.Sum(nil)[:16]))
}
