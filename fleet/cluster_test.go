package fleet

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// requireAll renews 300 partitions in a cluster, twice: with the script on its nodes and without.
func requireAll(t *testing.T, s store) {
	t.Helper()
	for _, id := range []string{"a", "b"} {
		all, err := s.renew(t.Context(), id, renewals(300))
		require.NoError(t, err)
		require.Len(t, all, 300)
		for i := range all {
			require.NoError(t, all[i].err)
			if id == "a" {
				require.Equal(t, strconv.Itoa(i), all[i].all.records["a"].record, "replies are in order")
				o := outcome{name: nameOf(i), claim: all[i].all.claim, ledger: "l", agreements: map[string]string{"b": strconv.Itoa(i)}}
				require.NoError(t, agreeOnce(t, s, o))
			} else {
				require.Equal(t, strconv.Itoa(i), all[i].agreement)
			}
		}
	}
}

func TestRedisStoreClusterClient(t *testing.T) {
	m := miniredis.RunT(t)
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{m.Addr()}})
	t.Cleanup(func() { _ = client.Close() })
	requireAll(t, newRedisStore(client, "p"))
}

// TestRedisStoreCluster runs a cluster of two real nodes. They refuse scripts that use other nodes' keys. One
// node is stopped in the end.
func TestRedisStoreCluster(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	halves := []redis.ClusterSlot{{Start: 0, End: 8191}, {Start: 8192, End: 16383}}
	var stop func()
	var nodes []*redis.Client
	for i := range halves {
		var socket string
		socket, stop = startRedis(t, binary, "--cluster-enabled", "yes", "--cluster-require-full-coverage", "no",
			"--bind", "127.0.0.1", "--cluster-port", strings.TrimPrefix(child.FreeAddress(t), "127.0.0.1:"))
		node := newClient(t, &redis.Options{Network: "unix", Addr: socket})
		require.NoError(t, node.ClusterAddSlotsRange(t.Context(), halves[i].Start, halves[i].End).Err())
		halves[i].Nodes = []redis.ClusterNode{{Addr: socket + ":0"}}
		nodes = append(nodes, node)
	}
	for _, node := range nodes {
		require.Eventually(t, func() bool { // the nodes need two seconds
			return strings.Contains(node.ClusterInfo(context.Background()).Val(), "cluster_state:ok")
		}, 20*time.Second, 50*time.Millisecond)
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{
		DialerRetries: 1, MaxRedirects: 1, // the defaults retry for longer than a renewal may take
		ClusterSlots: func(context.Context) ([]redis.ClusterSlot, error) { return halves, nil },
		Dialer: func(ctx context.Context, _, addr string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", strings.TrimSuffix(addr, ":0"))
		},
	})
	t.Cleanup(func() { _ = client.Close() })
	s := newRedisStore(client, "p")
	requireAll(t, s)

	there := make([]bool, 300)
	for i := range there {
		there[i] = slotOf(t, client, s.key(nameOf(i))) <= int64(halves[0].End)
	}
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), renewEvery)
	defer cancel()
	all, err := s.renew(ctx, "a", renewals(300))
	require.NoError(t, err)
	var gone int
	for i := range all {
		require.Equal(t, there[i], all[i].err == nil, "what is on the other node is there")
		if !there[i] {
			gone++
		}
	}
	require.Greater(t, gone, 100)
	require.Less(t, gone, 200)
}

func slotOf(t *testing.T, client *redis.ClusterClient, key string) int64 {
	t.Helper()
	slot, err := client.ClusterKeySlot(t.Context(), key).Result()
	require.NoError(t, err)
	return slot
}

func TestRedisStoreKeys(t *testing.T) {
	for _, prefix := range []string{"headway", "a:b", "b c"} {
		s := newRedisStore(nil, prefix)
		require.Equal(t, prefix+":1:{"+testName+"}", s.key(testName), "the hash tag is the partition")
	}
}
