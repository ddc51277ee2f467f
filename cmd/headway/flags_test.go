package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions([]string{
		"-json", "-X", "POST", "-H", "Accept: a", "-H", "accept:b", "-timeout", "2s", "-n", "7", "https://api.example.com/x?y=z",
	})
	require.NoError(t, err)
	require.True(t, o.json)
	require.Equal(t, "POST", o.method)
	require.Equal(t, http.Header{"Accept": {"a", "b"}}, o.header)
	require.Equal(t, 2*time.Second, o.timeout)
	require.Equal(t, 7, o.requests)
	require.Equal(t, "https://api.example.com/x?y=z", o.url.String())

	for _, args := range [][]string{{}, {"-"}} {
		o, err = parseOptions(append([]string{"-method", "HEAD", "-host", "api.example.com:8443", "-at", "2026-03-04T13:00:00+01:00"}, args...))
		require.NoError(t, err)
		require.Nil(t, o.url)
		require.Equal(t, "HEAD", o.method)
		require.Equal(t, "api.example.com:8443", o.host)
		require.True(t, o.at.Equal(time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)))
	}
}

func TestWrongOptions(t *testing.T) {
	const url = "https://api.example.com/"
	rows := []struct {
		name string
		args []string
		err  string // a part of it
	}{
		{"unknown flag", []string{"-colour"}, "-colour"},
		{"flags behind the URL", []string{url, "-json"}, "flags go before it"},
		{"another scheme", []string{"file:///etc/passwd"}, "http:// or https://"},
		{"-n too great", []string{"-n", "101", url}, "from 1 to 100"},
		{"no time", []string{"-timeout", "0", url}, "more than 0"},
		{"no method", []string{"-X", "G T", url}, "a method such as GET"},
		{"a host with a user", []string{"-host", "a@b"}, "a host such as"},
		{"no point in time", []string{"-at", "noon"}, "a time such as"},
		{"-host for a URL", []string{"-host", "a", url}, "-host is not for a URL"},
		{"-n for a recording", []string{"-n", "2", "-"}, "-n is not for recorded responses"},
		{"-timeout for a recording", []string{"-timeout", "1s"}, "-timeout is not for recorded responses"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			_, err := parseOptions(x.args)
			require.ErrorContains(t, err, x.err)
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
		{"-H", "Authorization: s3cret"},
		{"-H", "Authorization: s3cret", url, url},
		{"-H", "Authorization: s3cret", "-n", "x", url},
		{"-H", "Authorization: s3cret", "api.example.com"},
		{"-H", "Authorization: s3cret", "https://api.example.com:s3cret/"},
		{"-X", "GET s3cret", url},
		{"-at", "s3cret"},
		{"-host", "s3cret@a"},
	} {
		_, err := parseOptions(args)
		require.Error(t, err, args)
		require.NotContains(t, err.Error(), "s3cret")
		_, errs, code := session{args: append([]string{"inspect"}, args...)}.run()
		require.Equal(t, exitUsage, code)
		require.NotContains(t, errs, "s3cret")
	}
}
