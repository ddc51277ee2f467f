package snapshot

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// A partition with requests in flight counts as in use at the time of the snapshot.
func TestSnapshotWithRequestsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		p := s.partition(t, "api.example.com")
		s.use(t, p, left(59))
		s.use(t, p, left(59))
		for range 3 {
			defer s.enter(t, p).Leave()
		}
		next := newShelf()
		require.NoError(t, next.Open(s.seal(t), maxReset))
		require.Len(t, next.restored, 1)
		for _, known := range next.restored {
			state := known.pacer.State(next.settings.Clock.Now())
			require.Zero(t, state.InFlight)
			require.EqualValues(t, 56, state.Limits[0].Remaining)
		}
		time.Sleep(30 * time.Hour)
		require.Zero(t, s.saved(s.settings.Clock.Now())[0].Idle)
	})
}

// A new partition gets the restored state of its name, once.
func TestAdopt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.use(t, s.partition(t, "a.example.com"), refused(time.Hour))
		s.use(t, s.partition(t, "b.example.com"), left(50))
		next := newShelf()
		require.NoError(t, next.Open(s.seal(t), maxReset))
		require.Len(t, next.restored, 2)

		a := next.partition(t, "a.example.com")
		require.InDelta(t, time.Hour, a.State().HeldUntil.Sub(next.settings.Clock.Now()), float64(2*time.Second))
		require.Empty(t, next.partition(t, "c.example.com").State().Limits)
		require.EqualValues(t, 50, next.partition(t, "b.example.com").State().Limits[0].Remaining)
		require.Empty(t, next.restored)

		next.Forget(a)
		require.Zero(t, next.partition(t, "a.example.com").State().HeldUntil)
	})
}

// Open does not change existing partitions, and replaces an earlier restored state.
func TestOpenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		earlier, later := newShelf(), newShelf()
		for _, host := range []string{"a.example.com", "b.example.com", "c.example.com"} {
			earlier.use(t, earlier.partition(t, host), left(50))
		}
		for _, host := range []string{"a.example.com", "b.example.com"} {
			later.use(t, later.partition(t, host), left(40))
		}
		s := newShelf()
		a := s.partition(t, "a.example.com")
		require.NoError(t, s.Open(earlier.seal(t), maxReset))
		require.NoError(t, s.Open(later.seal(t), maxReset))
		require.Len(t, s.restored, 2)
		require.Empty(t, a.State().Limits)
		require.EqualValues(t, 40, s.partition(t, "b.example.com").State().Limits[0].Remaining)
		require.EqualValues(t, 50, s.partition(t, "c.example.com").State().Limits[0].Remaining)
	})
}

func TestSnapshotHasTheLatestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		for i := range 3 {
			s.use(t, s.partition(t, fmt.Sprint(i, ".example.com")), left(50))
			time.Sleep(time.Second)
		}
		want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}
		require.Equal(t, want, idle(s))
		next := newShelf()
		require.NoError(t, next.Open(s.seal(t), maxReset))
		require.Equal(t, want, idle(next), "nor does it change when nobody asks for them")
	})
}

func idle(s *Shelf) (all []time.Duration) {
	for _, p := range s.saved(s.settings.Clock.Now()) {
		all = append(all, p.Idle)
	}
	return all
}

func TestForgottenPartitionsHaveNoName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		p := s.partition(t, "api.example.com")
		require.Len(t, s.names, 1)
		s.Forget(p)
		require.Empty(t, s.names)
		require.Empty(t, s.saved(s.settings.Clock.Now()))
	})
}

// Setting the clock back does not lengthen a hold.
func TestOpenOnceTheClockWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.use(t, s.partition(t, "api.example.com"), refused(time.Minute))
		now, at := s.settings.Clock.Read()
		data, err := s.keys.seal(at.Add(maxAhead), s.saved(now))
		require.NoError(t, err)
		next := newShelf()
		require.NoError(t, next.Open(data, maxReset))
		held := next.partition(t, "api.example.com").State().HeldUntil.Sub(next.settings.Clock.Now())
		kit.RequireHeld(t, time.Minute, held)
	})
}

func TestSnapshotsOfAnotherTime(t *testing.T) {
	for _, row := range []struct {
		name string
		age  time.Duration // as the clock has it, which may have been set
		want error
	}{
		{"a day", maxAge, nil},
		{"more than a day", maxAge + time.Second, ErrExpired},
		{"years", 1 << 62, ErrExpired},
		{"the clock was corrected", -maxAhead, nil},
		{"the future", -maxAhead - time.Second, ErrFuture},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				data, err := s.keys.seal(time.Now().Add(-row.age), nil)
				require.NoError(t, err)
				require.ErrorIs(t, s.Open(data, maxReset), row.want)
			})
		})
	}
}

// Without a secret of sufficient length there is no Shelf.
func TestNoShelf(t *testing.T) {
	for _, secret := range [][]byte{nil, {}, kit.Secret()[:leastSecret-1]} {
		s := NewShelf(secret, nil)
		require.Nil(t, s)
		_, err := s.Seal()
		require.ErrorIs(t, err, ErrKey)
		require.ErrorIs(t, s.Open(nil, maxReset), ErrKey)
		s.Adopt(nil, nil)
		s.Forget(nil)
	}
}
