package fleettest

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// A Loss is a fault of a store, with its duration.
type Loss[S Store] struct {
	Name    string
	Lose    func(s S) (restore func())
	IsLost  bool // and the processes report it
	Blinks  bool // members may be unknown for a while, though the store is reachable
	Message string
}

// Each calls do at once and then always after d, until stop is called.
func Each(d time.Duration, do func()) (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for do(); ctx.Err() == nil; do() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(d):
			}
		}
	}()
	return stop
}

// A User is one process.
type User struct {
	*headway.Transport

	mu    sync.Mutex
	infos []headway.FleetInfo
}

func newUser(t *testing.T, s Store, service http.Handler) *User {
	t.Helper()
	u := &User{}
	u.Transport = &headway.Transport{
		Base: &ratelimittest.Transport{Handler: service}, Fleet: s.Fleet(t), Trace: &headway.Trace{Fleet: func(info headway.FleetInfo) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.infos = append(u.infos, info)
		}},
	}
	return u
}

// NewUsers returns two processes.
func NewUsers(t *testing.T, s Store, service http.Handler) []*User {
	t.Helper()
	return []*User{newUser(t, s, service), newUser(t, s, service)}
}

// told returns what the process was told since the last call.
func (u *User) told() (infos []headway.FleetInfo) {
	u.mu.Lock()
	defer u.mu.Unlock()
	infos, u.infos = u.infos, nil
	return infos
}

// Send sends four requests a second, none of which waits longer than most. known is the number of seconds in
// which the members were known, without a gap until the end.
func Send(t *testing.T, seconds int, most time.Duration, users ...*User) (known int) {
	t.Helper()
	for second := range seconds {
		all := true
		for range 4 {
			for i, u := range users {
				begun := time.Now()
				status, err := Get(t.Context(), u)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, status)
				require.LessOrEqual(t, time.Since(begun), most, "second %d, member %d: a request has waited", second, i)
			}
			time.Sleep(250 * time.Millisecond)
		}
		for _, u := range users {
			n, agreed := Members(u.Transport)
			require.Equal(t, n > 0, agreed)
			all = all && n == len(users)
		}
		known++
		if !all {
			known = 0
		}
	}
	return known
}

// Run has two members use a store before, during and after the fault.
func (row *Loss[S]) Run(t *testing.T, s S) {
	t.Helper()
	service := NewService(6000)
	users := NewUsers(t, s, service)
	require.Positive(t, Send(t, 30, 2*time.Second, users...)) // until their needs are known
	for _, u := range users {
		require.Empty(t, u.told(), "that it is there is no news")
	}

	restore := row.Lose(s)
	known := Send(t, 20, 0, users...)
	require.True(t, row.Blinks || row.IsLost == (known == 0), "known for %d s", known)
	require.True(t, row.IsLost || row.Blinks || known == 20, "known for %d s", known)
	for _, u := range users {
		row.requireTold(t, u)
	}

	restore()
	most := time.Duration(0)
	if row.IsLost { // the member that finds it last waits until the other has given up a part
		most = time.Second
	}
	require.Positive(t, Send(t, 15, most, users...), "all is as it was")
	for _, u := range users {
		if row.IsLost {
			require.Equal(t, []headway.FleetInfo{{}}, u.told())
		} else {
			require.Empty(t, u.told())
		}
	}
	require.Empty(t, service.Arrivals().Refused())
}

// requireTold checks that the process was told once that the store is lost, or not at all.
func (row *Loss[S]) requireTold(t *testing.T, u *User) {
	t.Helper()
	infos := u.told()
	if !row.IsLost {
		require.Empty(t, infos)
		return
	}
	require.Len(t, infos, 1)
	require.True(t, infos[0].Lost)
	require.ErrorContains(t, infos[0].Err, row.Message)
	n, agreed := Members(u.Transport)
	require.Zero(t, n)
	require.False(t, agreed)
}
