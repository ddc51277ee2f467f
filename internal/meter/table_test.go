package meter

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTableForgets(t *testing.T) {
	var tab Table[int]
	start := time.Unix(0, 0)
	tab.Forget(start)
	tab.Put("a", start, 1)
	tab.Put("b", start.Add(1), 2)
	tab.Put("a", start.Add(2), 3)

	tab.Forget(start.Add(1))
	require.Equal(t, 3, tab.Get("a", 0))
	require.Equal(t, 7, tab.Get("b", 7), "like a new client")
	require.Len(t, tab.clients, 1)

	tab.Forget(start.Add(2))
	require.Empty(t, tab.clients)
	require.Zero(t, tab.oldest.Len())
}

func TestTableIsBounded(t *testing.T) {
	var tab Table[int]
	for i := range MaxClients {
		tab.Put(strconv.Itoa(i), time.Unix(int64(i), 0), i+1)
	}
	tab.Put("0", time.Unix(MaxClients, 0), 1)
	tab.Put("new", time.Unix(MaxClients, 0), 1)
	require.Len(t, tab.clients, MaxClients)
	require.Equal(t, MaxClients, tab.oldest.Len())
	require.Equal(t, 1, tab.Get("0", 0), "changed recently")
	require.Equal(t, 7, tab.Get("1", 7), "longest unchanged")
	require.Equal(t, 1, tab.Get("new", 0))
}
