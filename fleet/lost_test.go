package fleet

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// A lossRow is a fault of a store, with its duration.
type lossRow struct {
	name    string
	lose    func(b *bubbleRedis) (restore func())
	isLost  bool // and the processes report it
	blinks  bool // members may be unknown for a while, though the store is reachable
	message string
}

func lossRows() []lossRow {
	answer := func(f func(p *server.Peer)) func(*bubbleRedis) func() {
		return func(b *bubbleRedis) func() {
			b.answer(func(p *server.Peer, _ string) bool { f(p); return true })
			return func() { b.answer(nil) }
		}
	}
	shift := func(d time.Duration) func(*bubbleRedis) func() {
		return func(b *bubbleRedis) func() {
			b.shift.Store(int64(d))
			return func() { b.shift.Store(1) } // and jumps back
		}
	}
	return []lossRow{
		{name: "it hangs", isLost: true, message: "deadline", lose: func(b *bubbleRedis) func() {
			release := make(chan struct{})
			b.answer(func(*server.Peer, string) bool { <-release; return false })
			return func() { b.answer(nil); close(release) }
		}},
		{name: "it refuses", isLost: true, lose: func(b *bubbleRedis) func() {
			b.refuse()
			return func() { b.refuses.Store(false) }
		}},
		{name: "it answers nothing", isLost: true, lose: answer(func(p *server.Peer) { p.WriteNull() })},
		{name: "its time is huge", isLost: true, lose: answer(func(p *server.Peer) {
			p.WriteLen(2)
			p.WriteRaw(":9223372036854775807\r\n")
			p.WriteNull()
		})},
		{name: "its reply is no reply", isLost: true, lose: answer(func(p *server.Peer) { p.WriteRaw("HTTP/1.1 400 Bad Request\r\n\r\n") })},

		{name: "it is slow", lose: func(b *bubbleRedis) func() {
			b.answer(func(*server.Peer, string) bool { time.Sleep(300 * time.Millisecond); return false })
			return func() { b.answer(nil) }
		}},
		{name: "it is emptied", lose: func(b *bubbleRedis) func() { b.FlushAll(); return func() {} }},
		{name: "it is emptied each second", blinks: true, lose: func(b *bubbleRedis) func() { return each(time.Second, b.FlushAll) }},
		{name: "its clock jumps ahead", blinks: true, lose: shift(time.Hour)},
		{name: "its clock jumps back", blinks: true, lose: shift(-time.Hour)},
	}
}

// foreignRows are stores into which another program writes ten times a second.
func foreignRows() []lossRow {
	always := func(fields map[string]string) func(*bubbleRedis) func() {
		return func(b *bubbleRedis) func() {
			return each(100*time.Millisecond, func() {
				for _, key := range b.Keys() {
					for field, value := range fields {
						b.HSet(key, field, value)
					}
				}
			})
		}
	}
	const held = `{"v":1,"h":8796093022208}`
	records := map[string]string{
		"": "", "x": "y", "M": "z", strings.Repeat("m", 1000): "1 {}",
		"mold": "1 " + held, "mlate": "8796093022208 " + held, "mnone": aRecord, "mword": "soon " + aRecord, "m": "1 " + aRecord,
	}
	for i := range 500 {
		records["mcrowd"+strconv.Itoa(i)] = "1 nobody"
	}
	return []lossRow{
		{name: "records of nobody, of long ago or without a time", lose: always(records)},
		{name: "a ledger that is too long", lose: always(map[string]string{"l": strings.Repeat("x", 1<<20)})},
		{name: "times that never come", blinks: true, lose: always(map[string]string{"b": "inf", "w": "1e300", "d": "inf"})},
		{name: "no numbers", blinks: true, lose: always(map[string]string{"b": "nan", "w": "nan", "d": "nan"})},
		{name: "another type", isLost: true, message: "WRONGTYPE", lose: func(b *bubbleRedis) func() {
			key := b.Keys()[0]
			b.Del(key)
			_ = b.Set(key, "foreign") // fails for keys of other types
			return func() { b.Del(key) }
		}},
	}
}

// each calls do at once and then always after d, until stop is called.
func each(d time.Duration, do func()) (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for do(); pause(ctx, d); do() {
		}
	}()
	return stop
}

// A lossUser is one process.
type lossUser struct {
	*headway.Transport

	mu    sync.Mutex
	infos []headway.FleetInfo
}

func newLossUser(t *testing.T, b *bubbleRedis, service http.Handler) *lossUser {
	t.Helper()
	u := &lossUser{}
	u.Transport = &headway.Transport{
		Base: &ratelimittest.Transport{Handler: service}, Fleet: b.fleet(t), Trace: &headway.Trace{Fleet: func(info headway.FleetInfo) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.infos = append(u.infos, info)
		}},
	}
	return u
}

// told returns what the process was told since the last call.
func (u *lossUser) told() (infos []headway.FleetInfo) {
	u.mu.Lock()
	defer u.mu.Unlock()
	infos, u.infos = u.infos, nil
	return infos
}

// send sends four requests a second, none of which waits longer than most. known is the number of seconds in
// which the members were known, without a gap until the end.
func send(t *testing.T, seconds int, most time.Duration, users ...*lossUser) (known int) {
	t.Helper()
	for second := range seconds {
		all := true
		for range 4 {
			for i, u := range users {
				begun := time.Now()
				status, err := get(t.Context(), u)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, status)
				require.LessOrEqual(t, time.Since(begun), most, "second %d, member %d: a request has waited", second, i)
			}
			time.Sleep(250 * time.Millisecond)
		}
		for _, u := range users {
			n, agreed := members(u.Transport)
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

// Two members go on through faults of a store and through what other programs write into it, and are told once.
func TestStoreLost(t *testing.T) {
	for _, row := range slices.Concat(lossRows(), foreignRows()) {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, row.run)
		})
	}
}

// run has two members use a store before, during and after the fault.
func (row *lossRow) run(t *testing.T) {
	b := newBubbleRedis(t)
	b.ClockTTL(false) // real servers do not use TIME to expire keys
	service := newService(6000)
	users := []*lossUser{newLossUser(t, b, service), newLossUser(t, b, service)}
	require.Positive(t, send(t, 30, 2*time.Second, users...)) // until their needs are known
	for _, u := range users {
		require.Empty(t, u.told(), "that it is there is no news")
	}

	restore := row.lose(b)
	known := send(t, 20, 0, users...)
	require.True(t, row.blinks || row.isLost == (known == 0), "known for %d s", known)
	require.True(t, row.isLost || row.blinks || known == 20, "known for %d s", known)
	for _, u := range users {
		row.requireTold(t, u)
	}

	restore()
	most := time.Duration(0)
	if row.isLost { // the member that finds it last waits until the other has given up a part
		most = time.Second
	}
	require.Positive(t, send(t, 15, most, users...), "all is as it was")
	for _, u := range users {
		if row.isLost {
			require.Equal(t, []headway.FleetInfo{{}}, u.told())
		} else {
			require.Empty(t, u.told())
		}
	}
	require.Empty(t, service.Arrivals().Refused())
}

// requireTold checks that the process was told once that the store is lost, or not at all.
func (row *lossRow) requireTold(t *testing.T, u *lossUser) {
	t.Helper()
	infos := u.told()
	if !row.isLost {
		require.Empty(t, infos)
		return
	}
	require.Len(t, infos, 1)
	require.ErrorContains(t, infos[0].Err, row.message)
	n, agreed := members(u.Transport)
	require.Zero(t, n)
	require.False(t, agreed)
}

// A store that fails is asked after 1, 2 and then every 4 s, not each second, and by regular renewals alone although
// requests want more. Once it is back it is asked each second again.
func TestLostStoreIsAskedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		w := newWorker(t, store, forAll(fixed.new(60, time.Minute)), request(t, "/"))
		defer w.end(true)
		calls := func(d time.Duration) int {
			before := store.calls.Load()
			time.Sleep(d)
			return int(store.calls.Load() - before)
		}
		require.GreaterOrEqual(t, calls(20*time.Second), 18)
		store.set(true)
		require.LessOrEqual(t, calls(20*time.Second), 8)
		store.set(false)
		calls(5 * time.Second)
		require.GreaterOrEqual(t, calls(20*time.Second), 18)
	})
}
