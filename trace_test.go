package headway

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTraceOfAnEvictionForWantOfRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var evicted []EvictedInfo
		transport := &Transport{
			Base:  inTurn(status(200)),
			Trace: &Trace{Evicted: func(i EvictedInfo) { evicted = append(evicted, i) }},
		}
		prime(t, transport)
		transport.partitions.limit = 1
		time.Sleep(time.Second)
		resp, err := get(t.Context(), transport, "https://other.example.com/")
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, []EvictedInfo{{Partition: testURL[:len(testURL)-len("/things")], Idle: time.Second, Full: true}}, evicted)
	})
}
