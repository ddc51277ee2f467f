package pacer

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"

	"github.com/headway-go/headway/limits"
)

const (
	longName = 64 // bytes of a name that is kept whole: more takes more memory, less makes names unreadable
	nameHead = 32 // bytes that a longer one begins with: more are easier to read, less leave room for hashes
)

// ShortName returns how a partition calls a policy, partition key or unit of that name, because servers choose
// names: one of more than 64 bytes by its first 32, cut between two runes, and 128 bits of its SHA-256 in hex. So
// different names stay different, and a short one is the same.
func ShortName[S ~string](name S) S {
	if len(name) <= longName {
		return name
	}
	head := nameHead
	for head > nameHead-utf8.UTFMax+1 && !utf8.RuneStart(name[head]) {
		head--
	}
	sum := sha256.Sum256([]byte(name))
	return name[:head] + S(hex.EncodeToString(sum[:16]))
}

// withShortNames returns what is told with short names: a copy if one is long, as what is told is the caller's.
func withShortNames(told *limits.Told) *limits.Told {
	if len(told.Policy) <= longName && len(told.PartitionKey) <= longName && len(told.Unit) <= longName {
		return told
	}
	short := *told
	short.Policy, short.PartitionKey, short.Unit = ShortName(told.Policy), ShortName(told.PartitionKey), ShortName(told.Unit)
	return &short
}
