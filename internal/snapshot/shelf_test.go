package snapshot

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/test/kit"
)

func newShelf() *Shelf {
	return &Shelf{Key: kit.Secret(), Settings: &gate.Settings{Clock: clock.New()}, MaxReset: 31 * 24 * time.Hour}
}

func none() []*gate.Partition { return nil }

// partition makes the partition of a host, and calls Adopt as a Registry would.
func (s *Shelf) partition(tb testing.TB, host string) *gate.Partition {
	tb.Helper()
	req := kit.NewRequest(tb, "https://"+host+"/")
	p := gate.New(s.Settings, identity.Default(req))
	s.Adopt(p, req)
	return p
}

// A sealed snapshot with invalid content is refused completely.
func TestSealedNonsense(t *testing.T) {
	for _, line := range []string{"", "{}", "[", `[{"Taken":0}]`, `[{"Taken":"2000-01-01T00:00:00Z","Pacer":{}},[]]`} {
		s := newShelf()
		require.ErrorIs(t, s.Open(s.enclose([]byte(line)), none), ErrUnusable, line)
		require.Empty(t, s.recent(time.Now()))
	}
}

// A partition that a request uses while the snapshot is taken may be in it twice.
func TestNewerOfTwoCounts(t *testing.T) {
	s, now := newShelf(), time.Now()
	line, err := json.Marshal([]saved{{"name", now, []byte("{}")}, {"name", now.Add(-time.Hour), []byte("{}")}})
	require.NoError(t, err)
	require.NoError(t, s.Open(s.enclose(line), none))
	require.Len(t, s.recent(now), 1)
	require.WithinDuration(t, now, s.recent(now)[0].Taken, 0)
}

// A snapshot has the partitions that were used last, and then those that were restored.
func TestLargeSnapshot(t *testing.T) {
	s := newShelf()
	all := make([]*gate.Partition, most)
	for i := range all {
		all[i] = s.partition(t, fmt.Sprint("host", i))
	}
	s.restored.Store("earlier", &saved{"earlier", time.Now().Add(-time.Minute), all[0].Saved(s.Settings.Clock.Now())})
	names := func(inUse []*gate.Partition) (names []identity.Name) {
		data, err := s.Seal(func() []*gate.Partition { return inUse })
		require.NoError(t, err)
		next := newShelf()
		require.NoError(t, next.Open(data, none))
		for name := range next.restored.Range {
			names = append(names, name.(identity.Name))
		}
		return names
	}
	require.Contains(t, names(all[1:]), identity.Name("earlier"))
	require.NotContains(t, names(all), identity.Name("earlier"))
	require.NotContains(t, names(append([]*gate.Partition{s.partition(t, "new")}, all...)), all[most-1].SavedName)
}
