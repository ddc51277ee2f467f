package series

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Other stands for all partitions, or all policies of one, beyond those that have names
// of their own. One that is called so is counted with them.
const Other = "(other)"

// longestName bounds the bytes of a name. The longest origin has 267.
const longestName = 300

// DefaultName names a partition as the Transport does, but without the hash of the
// credentials that [headway.DefaultPartition] has put behind the origin, also if a function
// of the program has added to its result.
func DefaultName(partition string) string {
	origin := strings.Index(partition, "://")
	if origin < 0 {
		return partition
	}
	for i := origin; i < len(partition); i++ {
		if partition[i] == '#' && hexDigits(partition[i+1:]) == 16 {
			return partition[:i] + partition[i+17:]
		}
	}
	return partition
}

// hexDigits counts the lower-case hexadecimal digits that s begins with, up to 17.
func hexDigits(s string) int {
	n := 0
	for n < len(s) && n < 17 && ('0' <= s[n] && s[n] <= '9' || 'a' <= s[n] && s[n] <= 'f') {
		n++
	}
	return n
}

// clean makes a name that can be shown of one that a server or the program's input has
// chosen: what is not UTF-8 or cannot be printed is replaced, what is too long is cut.
func clean(name string) string {
	if isClean(name) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(r) > longestName {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isClean reports that there is nothing to change in a name, as in most.
func isClean(name string) bool {
	if len(name) > longestName {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
