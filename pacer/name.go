package pacer

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"

	"github.com/headway-go/headway/limits"
)

const (
	longName = 64 // longest name in bytes that is stored whole. More: more memory. Less: fewer readable names
	nameHead = 32 // bytes of a longer name before its hash. More: easier to read. Less: room for hashes
)

// ShortName returns the name that a partition uses for a policy, partition key or unit. Servers choose names,
// so their length is bounded. A name of more than 64 bytes becomes its first 32 bytes, cut between two runes,
// and 128 bits of its SHA-256 in hex. Different names stay different. Shorter names are unchanged.
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

// withShortNames returns the report with short names. It returns a copy if a name is long, because the report
// belongs to the caller.
func withShortNames(told *limits.Told) *limits.Told {
	if len(told.Policy) <= longName && len(told.PartitionKey) <= longName && len(told.Unit) <= longName {
		return told
	}
	short := *told
	short.Policy, short.PartitionKey, short.Unit = ShortName(told.Policy), ShortName(told.PartitionKey), ShortName(told.Unit)
	return &short
}
