package ratelimittest

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTableForgets(t *testing.T) {
	var tab table[int]
	start := time.Unix(0, 0)
	tab.forget(start)
	tab.put("a", start, 1)
	tab.put("b", start.Add(1), 2)
	tab.put("a", start.Add(2), 3)

	tab.forget(start.Add(1))
	require.Equal(t, 3, tab.get("a", 0))
	require.Equal(t, 7, tab.get("b", 7), "like a new client")
	require.Len(t, tab.byClient, 1)

	tab.forget(start.Add(2))
	require.Empty(t, tab.byClient)
	require.Zero(t, tab.byAge.Len())
}

func TestTableIsBounded(t *testing.T) {
	var tab table[int]
	for i := range MaxClients {
		tab.put(strconv.Itoa(i), time.Unix(int64(i), 0), i+1)
	}
	tab.put("0", time.Unix(MaxClients, 0), 1)
	tab.put("new", time.Unix(MaxClients, 0), 1)
	require.Len(t, tab.byClient, MaxClients)
	require.Equal(t, MaxClients, tab.byAge.Len())
	require.Equal(t, 1, tab.get("0", 0), "changed recently")
	require.Equal(t, 7, tab.get("1", 7), "longest unchanged")
	require.Equal(t, 1, tab.get("new", 0))
}
