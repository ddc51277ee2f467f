package series

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Other is the common label of all partitions, or policies, beyond the bound. A partition or
// policy with that name is counted with them.
const Other = "(other)"

// longestName bounds the bytes of a name. The longest origin has 267 bytes.
const longestName = 300

// DefaultName returns the Transport's name of a partition without the hash of the credentials
// that [headway.DefaultPartition] adds. It removes the hash even if the program's Partition
// function has added to DefaultPartition's result.
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

// hexDigits counts the lower-case hexadecimal digits at the beginning of s, up to 17.
func hexDigits(s string) int {
	n := 0
	for n < len(s) && n < 17 && ('0' <= s[n] && s[n] <= '9' || 'a' <= s[n] && s[n] <= 'f') {
		n++
	}
	return n
}

// clean makes a name from a server or from input fit to be shown. It replaces invalid UTF-8 and
// unprintable characters, and cuts long names.
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

// isClean reports whether clean would not change the name. Most names are clean.
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
