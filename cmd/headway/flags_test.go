package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrongOptions(t *testing.T) {
	const url = "https://api.example.com/"
	for _, row := range []struct {
		name string
		args []string
		err  string // a part of it
	}{
		{"unknown flag", []string{"-colour"}, "-colour"},
		{"flags behind the URL", []string{url, "-json"}, "flags go before it"},
		{"another scheme", []string{"file:///etc/passwd"}, "http:// or https://"},
		{"no time", []string{"-timeout", "0", url}, "more than 0"},
		{"no method", []string{"-X", "G T", url}, "a method such as GET"},
		{"a host with a user", []string{"-host", "a@b"}, "a host such as"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, errs, code := session{args: append([]string{"inspect"}, row.args...)}.run()
			require.Equal(t, exitUsage, code)
			require.Contains(t, errs, row.err)
		})
	}
}

// TestFieldsStaySecret passes a field in many wrong ways. No error repeats it.
func TestFieldsStaySecret(t *testing.T) {
	const url = "https://api.example.com/"
	for _, args := range [][]string{
		{"-H", "Bearer s3cret", url},
		{"-H", ": s3cret", url},
		{"-H", "Author ization: s3cret", url},
		{"-H", "Authorization: s3cret\r\nX: y", url},
		{"-HAuthorization: s3cret", url},
		{"--HAuthorization: s3cret", url},
		{"-H=s3cret", url},
		{"-H", "Authorization: s3cret", url, url},
		{"-H", "Authorization: s3cret", "-timeout", "x", url},
		{"-H", "Authorization: s3cret", "api.example.com"},
		{"-H", "Authorization: s3cret", "https://api.example.com:s3cret/"},
		{"-X", "GET s3cret", url},
		{"-host", "s3cret@a"},
	} {
		_, errs, code := session{args: append([]string{"inspect"}, args...)}.run()
		require.Equal(t, exitUsage, code)
		require.NotContains(t, errs, "s3cret")
	}
}
