package redisfleet

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/headway-go/headway/fleet/internal/fleettest"
)

func lossRows() []fleettest.Loss[*bubbleRedis] {
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
	return []fleettest.Loss[*bubbleRedis]{
		{Name: "it hangs", IsLost: true, Message: "deadline", Lose: func(b *bubbleRedis) func() {
			release := make(chan struct{})
			b.answer(func(*server.Peer, string) bool { <-release; return false })
			return func() { b.answer(nil); close(release) }
		}},
		{Name: "it refuses", IsLost: true, Lose: func(b *bubbleRedis) func() {
			b.refuse()
			return func() { b.refuses.Store(false) }
		}},
		{Name: "it answers nothing", IsLost: true, Lose: answer(func(p *server.Peer) { p.WriteNull() })},
		{Name: "its time is huge", IsLost: true, Lose: answer(func(p *server.Peer) {
			p.WriteLen(2)
			p.WriteRaw(":9223372036854775807\r\n")
			p.WriteNull()
		})},
		{Name: "its reply is no reply", IsLost: true, Lose: answer(func(p *server.Peer) { p.WriteRaw("HTTP/1.1 400 Bad Request\r\n\r\n") })},

		{Name: "it is slow", Lose: func(b *bubbleRedis) func() {
			b.answer(func(*server.Peer, string) bool { time.Sleep(300 * time.Millisecond); return false })
			return func() { b.answer(nil) }
		}},
		{Name: "it is emptied", Lose: func(b *bubbleRedis) func() { b.FlushAll(); return func() {} }},
		{Name: "it is emptied each second", Blinks: true, Lose: func(b *bubbleRedis) func() { return fleettest.Each(time.Second, b.FlushAll) }},
		{Name: "its clock jumps ahead", Blinks: true, Lose: shift(time.Hour)},
		{Name: "its clock jumps back", Blinks: true, Lose: shift(-time.Hour)},
	}
}

// foreignRows are stores into which another program writes ten times a second.
func foreignRows() []fleettest.Loss[*bubbleRedis] {
	always := func(fields map[string]string) func(*bubbleRedis) func() {
		return func(b *bubbleRedis) func() {
			return fleettest.Each(100*time.Millisecond, func() {
				for _, key := range b.Keys() {
					for field, value := range fields {
						b.HSet(key, field, value)
					}
				}
			})
		}
	}
	const held = `{"v":1,"h":8796093022208}`
	const aRecord = `{"v":1,"x":true,"l":[{"i":"id","q":60,"w":1000,"e":7,"u":3,"a":20,"n":21,"s":0.5,"c":30,"t":5}]}`
	records := map[string]string{
		"": "", "x": "y", "M": "z", strings.Repeat("m", 1000): "1 {}",
		"mold": "1 " + held, "mlate": "8796093022208 " + held, "mnone": aRecord, "mword": "soon " + aRecord, "m": "1 " + aRecord,
	}
	for i := range 500 {
		records["mcrowd"+strconv.Itoa(i)] = "1 nobody"
	}
	return []fleettest.Loss[*bubbleRedis]{
		{Name: "records of nobody, of long ago or without a time", Lose: always(records)},
		{Name: "a ledger that is too long", Lose: always(map[string]string{"l": strings.Repeat("x", 1<<20)})},
		{Name: "times that never come", Blinks: true, Lose: always(map[string]string{"b": "inf", "w": "1e300", "d": "inf"})},
		{Name: "no numbers", Blinks: true, Lose: always(map[string]string{"b": "nan", "w": "nan", "d": "nan"})},
		{Name: "another type", IsLost: true, Message: "WRONGTYPE", Lose: func(b *bubbleRedis) func() {
			key := b.Keys()[0]
			b.Del(key)
			_ = b.Set(key, "foreign") // fails for keys of other types
			return func() { b.Del(key) }
		}},
	}
}

// Two members go on through faults of a store and through what other programs write into it, and are told once.
func TestStoreLost(t *testing.T) {
	for _, row := range slices.Concat(lossRows(), foreignRows()) {
		t.Run(row.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubbleRedis(t)
				b.ClockTTL(false) // real servers do not use TIME to expire keys
				row.Run(t, b)
			})
		})
	}
}
