package fleet

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
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
	slow := func(d time.Duration) func(*bubbleRedis) func() {
		return func(b *bubbleRedis) func() {
			b.answer(func(*server.Peer, string) bool { time.Sleep(d); return false })
			return func() { b.answer(nil) }
		}
	}
	pair := func(now string) func(p *server.Peer) {
		return func(p *server.Peer) { p.WriteLen(2); p.WriteRaw(":" + now + "\r\n"); p.WriteNull() }
	}
	return []lossRow{
		{name: "it hangs", isLost: true, message: "deadline", lose: func(b *bubbleRedis) func() {
			release := make(chan struct{})
			b.answer(func(*server.Peer, string) bool { <-release; return false })
			return func() { b.answer(nil); close(release) }
		}},
		{name: "it hangs for good, and another one takes over", isLost: true, message: "deadline", lose: func(b *bubbleRedis) func() {
			release := make(chan struct{})
			b.answer(func(*server.Peer, string) bool { <-release; return true })
			return func() { b.answer(nil); b.refuse(); b.refuses.Store(false); close(release) }
		}},
		{name: "it refuses", isLost: true, lose: func(b *bubbleRedis) func() {
			b.refuse()
			return func() { b.refuses.Store(false) }
		}},
		{name: "it breaks connections", isLost: true, lose: answer(func(p *server.Peer) { p.Close() })},
		{name: "it is loading", isLost: true, message: "LOADING", lose: answer(func(p *server.Peer) { p.WriteError("LOADING Redis is loading the dataset in memory") })},
		{name: "it only reads", isLost: true, message: "READONLY", lose: answer(func(p *server.Peer) { p.WriteError("READONLY You can't write against a read only replica.") })},
		{name: "it wants a password", isLost: true, message: "NOAUTH", lose: answer(func(p *server.Peer) { p.WriteError("NOAUTH Authentication required.") })},
		{name: "it never has the script", isLost: true, message: "NOSCRIPT", lose: answer(func(p *server.Peer) { p.WriteError("NOSCRIPT No matching script.") })},
		{name: "it answers nothing", isLost: true, lose: answer(func(p *server.Peer) { p.WriteNull() })},
		{name: "it answers OK", isLost: true, lose: answer(func(p *server.Peer) { p.WriteOK() })},
		{name: "it answers a number", isLost: true, lose: answer(func(p *server.Peer) { p.WriteInt(1) })},
		{name: "it answers an empty list", isLost: true, lose: answer(func(p *server.Peer) { p.WriteLen(0) })},
		{name: "it answers a long list", isLost: true, lose: answer(func(p *server.Peer) {
			p.WriteLen(5)
			for range 5 {
				p.WriteInt(1)
			}
		})},
		{name: "its time is text", isLost: true, lose: answer(func(p *server.Peer) { p.WriteLen(2); p.WriteBulk("noon"); p.WriteNull() })},
		{name: "its time is negative", isLost: true, lose: answer(pair("-1"))},
		{name: "its time is huge", isLost: true, lose: answer(pair("9223372036854775807"))},
		{name: "its reply is no reply", isLost: true, lose: answer(func(p *server.Peer) { p.WriteRaw("HTTP/1.1 400 Bad Request\r\n\r\n") })},

		{name: "it is slow", lose: slow(300 * time.Millisecond)},
		{name: "it is emptied", lose: func(b *bubbleRedis) func() { b.FlushAll(); return func() {} }},
		{name: "it is emptied each second", blinks: true, lose: func(b *bubbleRedis) func() {
			done := make(chan struct{})
			go func() {
				for {
					select {
					case <-done:
						return
					case <-time.After(time.Second):
						b.FlushAll()
					}
				}
			}()
			return func() { close(done) }
		}},
		{name: "it forgets its scripts", lose: func(b *bubbleRedis) func() {
			b.flushScripts()
			return func() {}
		}},
		{name: "its clock jumps ahead", blinks: true, lose: shift(time.Hour)},
		{name: "its clock jumps back", blinks: true, lose: shift(-time.Hour)},
		{name: "its clock jumps a little", lose: shift(-500 * time.Millisecond)},
	}
}

// A lossUser is one process.
type lossUser struct {
	*headway.Transport

	mu    sync.Mutex
	infos []headway.FleetInfo
	log   bytes.Buffer
}

func newLossUser(t *testing.T, b *bubbleRedis, service http.Handler) *lossUser {
	t.Helper()
	u := &lossUser{}
	u.Transport = &headway.Transport{
		Base: &ratelimittest.Transport{Handler: service}, Fleet: b.fleet(t), Logger: slog.New(slog.NewTextHandler(u, nil)),
		Trace: &headway.Trace{Fleet: func(info headway.FleetInfo) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.infos = append(u.infos, info)
		}},
	}
	return u
}

// Write implements io.Writer for the process's log.
func (u *lossUser) Write(line []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if bytes.Contains(line, []byte("fleet")) {
		return u.log.Write(line)
	}
	return len(line), nil
}

// told returns what the process was told since the last call.
func (u *lossUser) told() (infos []headway.FleetInfo, lines int, log string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	infos, log = u.infos, u.log.String()
	u.infos = nil
	u.log.Reset()
	return infos, strings.Count(log, "\n"), log
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

func TestStoreLost(t *testing.T) {
	for _, row := range lossRows() {
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
		infos, _, _ := u.told()
		require.Empty(t, infos, "that it is there is no news")
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
		infos, lines, log := u.told()
		if row.isLost {
			require.Equal(t, []headway.FleetInfo{{}}, infos)
			require.Equal(t, 1, lines, log)
		} else {
			require.Empty(t, infos)
		}
	}
	require.Empty(t, service.Arrivals().Refused())
}

// requireTold checks that the process was told once that the store is lost, or not at all.
func (row *lossRow) requireTold(t *testing.T, u *lossUser) {
	t.Helper()
	infos, lines, log := u.told()
	if !row.isLost {
		require.Empty(t, infos)
		require.Zero(t, lines, log)
		return
	}
	require.Len(t, infos, 1)
	require.ErrorContains(t, infos[0].Err, row.message)
	require.Equal(t, 1, lines, log)
	require.Contains(t, log, "fleet store is unreachable")
	n, agreed := members(u.Transport)
	require.Zero(t, n)
	require.False(t, agreed)
}

// Requests go on without a store, even though the first one waits for a part that never comes.
func TestStoreNeverReachable(t *testing.T) {
	for _, row := range lossRows() {
		if !row.isLost {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubbleRedis(t)
				restore := row.lose(b)
				u := newLossUser(t, b, newService(6000))
				require.Zero(t, send(t, 10, 2*time.Second, u))
				row.requireTold(t, u)
				restore()
				require.Positive(t, send(t, 15, 0, u))
				infos, _, _ := u.told()
				require.Equal(t, []headway.FleetInfo{{}}, infos)
			})
		})
	}
}

// counting is a store that counts renewals.
type counting struct {
	store
	renewed atomic.Int64
}

func (s *counting) renew(ctx context.Context, id string, batch []renewal) ([]renewed, error) {
	s.renewed.Add(1)
	return s.store.renew(ctx, id, batch)
}

// A store that fails is asked after 1, 2 and then every 4 s, not each second, and by regular renewals alone although
// requests want more. Once it is back it is asked each second again.
func TestLostStoreIsAskedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		s := &counting{store: store}
		handler := &ratelimittest.Handler{
			Limiter: fixed.new(60, time.Minute), Dialect: ratelimittest.Draft10, Client: func(*http.Request) string { return "" },
		}
		w := newWorker(t, s, handler)
		defer w.end(true)
		calls := func(d time.Duration) int64 {
			before := s.renewed.Load()
			time.Sleep(d)
			return s.renewed.Load() - before
		}
		require.GreaterOrEqual(t, calls(20*time.Second), int64(18))
		store.set(true)
		require.LessOrEqual(t, calls(20*time.Second), int64(8))
		store.set(false)
		calls(5 * time.Second)
		require.GreaterOrEqual(t, calls(20*time.Second), int64(18))
	})
}
