//go:build unix

package main

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func TestStoreComesBackEmptyAtTheSameAddressAndLeavesNothing(t *testing.T) {
	needStore(t)
	s, err := newStore(t.Context())
	require.NoError(t, err)
	client := redis.NewClient(&redis.Options{Addr: s.addr})
	require.NoError(t, client.Set(t.Context(), "a", "b", 0).Err())
	require.EqualValues(t, 1, client.DBSize(t.Context()).Val())

	require.NoError(t, s.kill())
	require.False(t, s.answers(t.Context()))
	require.NoError(t, s.start(t.Context()))
	size, err := client.DBSize(t.Context()).Result()
	require.NoError(t, err)
	require.Zero(t, size)
	require.NoError(t, client.Close())

	last := s.process
	require.NoError(t, s.close())
	<-last.ended
	require.NoDirExists(t, s.dir)
}
