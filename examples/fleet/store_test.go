package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"
)

func TestStoreAtURL(t *testing.T) {
	m := miniredis.RunT(t)
	m.RequireAuth("secret")
	s, err := openStore(t.Context(), "redis://:secret@"+m.Addr())
	require.NoError(t, err)
	require.Contains(t, s.what, m.Addr())
	require.NotContains(t, s.what, "secret")
	s.close()

	_, err = openStore(t.Context(), "redis://:wrong@"+m.Addr())
	require.Error(t, err)
	_, err = openStore(t.Context(), "http://user:secret@store")
	require.ErrorContains(t, err, "$REDIS_URL")
	require.NotContains(t, err.Error(), "secret")
}

// A server that was started has ended once its store is closed.
func TestStoreStarted(t *testing.T) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		require.NotEqual(t, "required", os.Getenv("HEADWAY_REDIS"), "there is no redis-server")
		t.Skip("there is no redis-server to be started")
	}
	s, err := started(t.Context(), "redis-server", program)
	require.NoError(t, err)
	_, err = theirs(t.Context(), s.url)
	require.NoError(t, err)
	s.close()
	_, err = started(t.Context(), "redis-server", program+".none")
	require.Error(t, err)
}
