package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// ShortName returns a name of at most 64 bytes for a policy, partition key or unit. Servers choose names, so their length
// must be bounded where they are stored. A longer name becomes its first 32 bytes, cut between two runes, and 128 bits of
// its SHA-256 in hex. Different names stay different. Shorter names are unchanged.
func ShortName[S ~string](name S) S {
	if len(name) <= 64 {
		return name
	}
	head := 32
	for head > 32-utf8.UTFMax+1 && !utf8.RuneStart(name[head]) {
		head--
	}
	sum := sha256.Sum256([]byte(name))
	return name[:head] + S(hex.EncodeToString(sum[:16]))
}
