package parse

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/dunglas/httpsfv"
	"github.com/stretchr/testify/require"
)

// A disagreement is a value that httpsfv and this package read differently, and the sentence of RFC 9651
// that supports this package.
type disagreement struct {
	name     string
	section  string
	sentence string
	example  string // a list
	applies  func(ours, theirs error) bool
}

// disagreements has all known disagreements with httpsfv v1.1.2. Any other difference fails the fuzz targets.
func disagreements() []disagreement {
	onlyWeFindTooMany := func(ours, theirs error) bool { return errors.Is(ours, ErrTooMany) && theirs == nil }
	return []disagreement{
		{
			name: "members", section: "3.1", applies: onlyWeFindTooMany,
			sentence: "Parsers MUST support Lists containing at least 1024 members.",
			example:  "a" + strings.Repeat(",a", MaxMembers),
		},
		{
			name: "parameters", section: "3.1.2", applies: onlyWeFindTooMany,
			sentence: "Parsers MUST support at least 256 parameters on an Item or Inner List.",
			example:  "a" + strings.Repeat(";b", MaxParameters+1),
		},
		{
			name: "padding of a Byte Sequence", section: "4.2.7",
			sentence: `Parsers SHOULD NOT fail when "=" padding is not present, unless they cannot be configured to do so.`,
			example:  ":YQ:",
			applies: func(ours, theirs error) bool {
				var corrupt base64.CorruptInputError
				return ours == nil && errors.As(theirs, &corrupt)
			},
		},
	}
}

// isKnownDisagreement reports whether a known disagreement explains the two errors.
func isKnownDisagreement(ours, theirs error) bool {
	for _, d := range disagreements() {
		if d.applies(ours, theirs) {
			return true
		}
	}
	return false
}

// TestDisagreements checks that httpsfv still differs in each known disagreement.
func TestDisagreements(t *testing.T) {
	for _, d := range disagreements() {
		t.Run(d.name, func(t *testing.T) {
			_, ours := sfList(d.example)
			_, theirs := httpsfv.UnmarshalList([]string{d.example})
			require.True(t, d.applies(ours, theirs), "RFC 9651 §%s: %s\nhttpsfv says %v, we say %v", d.section, d.sentence, theirs, ours)
		})
	}
	for _, value := range []string{"", "a", ":YQ==:", ":YR==:", "a,", ":Y:", ":YQ===:", "a;B", "1.2345", "a" + strings.Repeat(",a", MaxMembers-1)} {
		_, ours := sfList(value)
		_, theirs := httpsfv.UnmarshalList([]string{value})
		require.Equal(t, theirs == nil, ours == nil, "%q: httpsfv says %v, we say %v", value, theirs, ours)
		require.False(t, isKnownDisagreement(ours, theirs), "%q", value)
	}
}
