package debug_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/limits"
)

// A handFleet is a Fleet whose parts are set by the test.
type handFleet struct{ *share.Member }

func (*handFleet) Key() []byte { return []byte("sixteen bytes or") }

func (f *handFleet) Join(m *share.Member) chan<- struct{} {
	f.Member = m
	return nil
}

// Agreed shares are shown until they expire.
func TestReportOfAFleetMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f handFleet
		transport := &headway.Transport{Base: api(), Fleet: &f}
		send(t, transport, "https://api.example.com/")
		partition := reportOf(t, only(transport), "/?format=json").Transports[0].Partitions[0]
		require.Zero(t, partition.Members)
		require.False(t, partition.Limits[0].Agreed)
		require.NotContains(t, ask(t, only(transport), "GET", "/?format=json").Body.String(), "agreed")

		all, ok := f.Reports()
		require.True(t, ok)
		all[0].Apportion(&limits.Parts{
			Lasts: 3 * time.Second, Members: 4,
			Limits: []limits.Part{{ID: all[0].Limits[0].ID, Share: 0.25, Units: 25, Next: 25, Full: true, Remaining: -1, Ends: all[0].Limits[0].Ends}},
		})
		partition = reportOf(t, only(transport), "/?format=json").Transports[0].Partitions[0]
		require.Equal(t, 4, partition.Members)
		require.True(t, partition.Limits[0].Agreed)
		require.InDelta(t, 0.25, partition.Limits[0].Share, 1e-9)
		require.Contains(t, ask(t, only(transport), "GET", "/").Body.String(), "share 25 %, exact part among 4")

		time.Sleep(3 * time.Second)
		partition = reportOf(t, only(transport), "/?format=json").Transports[0].Partitions[0]
		require.Zero(t, partition.Members)
		require.False(t, partition.Limits[0].Agreed)
		require.NotContains(t, ask(t, only(transport), "GET", "/").Body.String(), "exact part")
	})
}
