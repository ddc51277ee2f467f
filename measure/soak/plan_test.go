package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlansFollowFromTheirNumbers(t *testing.T) {
	methods := make(map[string]int)
	for id := range uint64(1000) {
		p := planOf(1, id)
		require.Equal(t, p, planOf(1, id))
		require.Equal(t, p.size > 0, p.method == http.MethodPut || p.method == http.MethodPost)
		require.True(t, p.replayable || p.size > 0)
		require.Len(t, p.content(p.answer), p.answer)
		methods[p.method]++
	}
	require.Len(t, methods, 4)
	one, other := planOf(1, 1), planOf(1, 2)
	require.NotEqual(t, one.content(100), other.content(100))
}
