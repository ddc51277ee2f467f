package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	rows := []struct{ name, text, want string }{
		{"other scripts", "Straße 程", "Straße 程"},
		{"escape sequence", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"lines", "a\r\nb\tc", `a\r\nb\tc`},
		{"right to left", "\u202eeroc", `\u202eeroc`},
		{"no UTF-8", "\xff\xc3", "�"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			require.Equal(t, x.want, visible(x.text))
			requireTame(t, visible(x.text))
			requireTame(t, quoted(x.text))
		})
	}
	require.Equal(t, `a"b…`, cut(`a"bc`, 3))
	require.Equal(t, strings.Repeat("é", 3), cut(strings.Repeat("é", 3), 3))
	require.Equal(t, strings.Repeat("é", 3)+"…", cut(strings.Repeat("é", 4), 3))
}

func TestWithoutQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`dial tcp: connection refused`:             `dial tcp: connection refused`,
		`malformed HTTP response "s3cret\"s3cret"`: `malformed HTTP response "…"`,
		`"s3cret": not "s3cret" but`:               `"…": not "…" but`,
		`an open "s3cret`:                          `an open "…"`,
		`an open "s3cret\`:                         `an open "…"`,
	} {
		require.Equal(t, want, withoutQuotes(text))
	}
}
