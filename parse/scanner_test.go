package parse

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// TestPrefixes cuts valid values off at every byte. The prefix must be valid, or truncated with the error
// at its end.
func TestPrefixes(t *testing.T) {
	for _, value := range []string{
		`"default";r=50;t=30`,
		`"a\"\\b";q=-12.345;pk=:YWJj:, tok/en;x;y=?1;z=@-5`,
		`%"f%c3%bc";a="b", ("x" y;z=1  2);w, ()`,
	} {
		for i := range len(value) {
			_, err := sfList(value[:i])
			if err == nil {
				continue
			}
			require.ErrorIs(t, err, ErrTruncated, "%q", value[:i])
			var out []Row
			require.Equal(t, fault{i, ErrTruncated}, readItems(limits.DialectPolicy, []string{value[:i]}, &out), "%q", value[:i])
			require.Empty(t, out)
		}
	}
}

func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		name   string
		value  string
		offset int
		err    error
	}{
		{name: "no member", value: `,`, err: ErrSyntax},
		{name: "key", value: `a;1=2`, offset: 2, err: ErrSyntax},
		{name: "integer", value: `1234567890123456`, offset: 15, err: ErrTooLong},
		{name: "whole part of a Decimal", value: `1234567890123.1`, offset: 13, err: ErrTooLong},
		{name: "fraction of a Decimal", value: `1.2345`, offset: 5, err: ErrTooLong},
		{name: "no fraction", value: `1.a`, offset: 2, err: ErrSyntax},
		{name: "sign", value: `-a`, offset: 1, err: ErrSyntax},
		{name: "Boolean", value: `?2`, offset: 1, err: ErrSyntax},
		{name: "Date", value: `@1.5`, offset: 4, err: ErrSyntax},
		{name: "Byte Sequence", value: `:YQ==YQ==:`, offset: 5, err: ErrSyntax},
		{name: "String", value: "\"a\x7f\"", offset: 2, err: ErrSyntax},
		{name: "escape in String", value: `"a\"b\c"`, offset: 6, err: ErrSyntax},
		{name: "control character behind an escape", value: "\"\\\"\x01\"", offset: 3, err: ErrSyntax},
		{name: "Display String, upper case", value: `%"%C3%BC"`, offset: 3, err: ErrSyntax},
		{name: "Display String, not UTF-8", value: `%"%c3"`, offset: 5, err: ErrSyntax},
		{name: "Display String, no quote", value: `%a`, offset: 1, err: ErrSyntax},
		{name: "Inner List", value: `(a,b)`, offset: 2, err: ErrSyntax},
		{name: "parameters of an item of an Inner List", value: `(a;B)`, offset: 3, err: ErrSyntax},
		{name: "no comma", value: `a b`, offset: 2, err: ErrSyntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scanner{s: c.value}
			s.items(limits.DialectRateLimit, new([]Row))
			require.Equal(t, fault{c.offset, c.err}, s.fault)
		})
	}
}

func TestStringsWithoutEscapesAreNotCopied(t *testing.T) {
	s := scanner{s: `"a string without escapes"`}
	require.Same(t, unsafe.StringData(s.s[1:]), unsafe.StringData(s.bareItem().text))
	require.NoError(t, s.err)
}
