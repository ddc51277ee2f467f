package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// hostileRows are stores into which another program writes invalid data ten times a second.
func hostileRows() []lossRow {
	write := func(fields func(b *bubbleRedis, key string) map[string]string) func(*bubbleRedis) func() {
		return func(b *bubbleRedis) func() {
			done := make(chan struct{})
			go func() {
				for {
					for _, key := range b.Keys() {
						for field, value := range fields(b, key) {
							b.HSet(key, field, value)
						}
					}
					select {
					case <-done:
						return
					case <-time.After(100 * time.Millisecond):
					}
				}
			}()
			return func() { close(done) }
		}
	}
	always := func(fields map[string]string) func(*bubbleRedis) func() {
		return write(func(*bubbleRedis, string) map[string]string { return fields })
	}
	stampedBy := func(records ...string) func(*bubbleRedis) func() {
		return write(func(*bubbleRedis, string) map[string]string {
			fields := make(map[string]string)
			for i, record := range records {
				fields["mforeign"+strconv.Itoa(i)] = fmt.Sprintf("%d %s", time.Now().UnixMilli(), record)
			}
			return fields
		})
	}
	// toAll returns a function that overwrites all members' agreements with value.
	toAll := func(value string) func(*bubbleRedis) func() {
		return write(func(b *bubbleRedis, key string) map[string]string {
			fields, _ := b.HKeys(key)
			told := make(map[string]string)
			for _, field := range fields {
				if id, ok := strings.CutPrefix(field, "m"); ok {
					told["t"+id] = value
				}
			}
			return told
		})
	}
	crowd := make(map[string]string)
	for i := range 500 {
		crowd["mcrowd"+strconv.Itoa(i)] = "1 nobody"
	}
	return []lossRow{
		{name: "records that are none", lose: stampedBy("", "null", "[]", "{}", "\x00", strings.Repeat("x", mostBytes), strings.Repeat("[", mostBytes))},
		{name: "records of other versions", lose: stampedBy(strings.Replace(aRecord, `"v":1`, `"v":2`, 1), strings.Replace(aRecord, `"v":1,`, "", 1))},
		{name: "records with impossible values", lose: stampedBy(`{"v":1,"h":-1}`, `{"v":1,"h":9e99}`, `{"v":1,"l":[{"i":"x","q":0,"w":1}]}`)},
		{name: "records from long ago", lose: always(map[string]string{"mold": "1 " + `{"v":1,"h":8796093022208}`})},
		{name: "records from later", lose: always(map[string]string{"mlate": "8796093022208 " + `{"v":1,"h":8796093022208}`})},
		{name: "records without a time", lose: always(map[string]string{"mnone": aRecord, "mword": "soon " + aRecord, "m": "1 " + aRecord})},
		{name: "a crowd", lose: always(crowd)},
		{name: "what is told is none", blinks: true, lose: toAll("x")},
		{name: "what is told is of another version", blinks: true, lose: toAll(strings.Replace(anAgreement, `"v":1`, `"v":2`, 1))},
		{name: "what is told is too long", blinks: true, lose: toAll(strings.Repeat("x", 1<<20))},
		{name: "a ledger that is none", lose: always(map[string]string{"l": "x"})},
		{name: "a ledger of another version", lose: always(map[string]string{"l": strings.Replace(aLedger, `"v":1`, `"v":2`, 1)})},
		{name: "a ledger that is too long", lose: always(map[string]string{"l": strings.Repeat("x", 1<<20)})},
		{name: "foreign fields", lose: always(map[string]string{"": "", "x": "y", "M": "z", strings.Repeat("m", 1000): "1 {}"})},
		{name: "times that are none", blinks: true, lose: always(map[string]string{"b": "x", "w": "y", "d": "z"})},
		{name: "times that never come", blinks: true, lose: always(map[string]string{"b": "inf", "w": "1e300", "d": "inf"})},
		{name: "times that are negative", lose: always(map[string]string{"b": "-1", "w": "-1", "d": "-1"})},
		{name: "no numbers", blinks: true, lose: always(map[string]string{"b": "nan", "w": "nan", "d": "nan"})},
		{name: "another type", isLost: true, message: "WRONGTYPE", lose: func(b *bubbleRedis) func() {
			key := b.Keys()[0]
			b.Del(key)
			_ = b.Set(key, "foreign") // fails for keys of other types
			return func() { b.Del(key) }
		}},
	}
}

func TestStoreHostile(t *testing.T) {
	for _, row := range hostileRows() {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, row.run)
		})
	}
}

// TestHostileClaims has members with claims that are in bounds but make no sense. The agreements stay in
// bounds, or other members would ignore them.
func TestHostileClaims(t *testing.T) {
	limit := func(used, units int64, busy bool) usage {
		return usage{ID: "id", Quota: 60, Window: 60000, Ends: 1060000, Used: used, Units: units, Next: units, Share: 0.5, Busy: busy, Remaining: -1}
	}
	tests := []struct {
		name   string
		claims map[string]usage
	}{
		{"one claims all", map[string]usage{"a": limit(0, mostUnits, true), "b": limit(3, 30, true)}},
		{"one has used all", map[string]usage{"a": limit(mostUnits, mostUnits, true), "b": limit(3, 30, true)}},
		{"all have used all", map[string]usage{"a": limit(mostUnits, mostUnits, true), "b": limit(mostUnits, mostUnits, true)}},
		{"one needs more than there is", map[string]usage{"a": {ID: "id", Quota: 60, Window: 60000, Ends: 1060000, Rest: mostUnits, Each: mostUnits, Remaining: -1}, "b": limit(3, 30, true)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := &table{now: 1000000, born: 1, members: make(map[string]member)}
			for id, u := range test.claims {
				table.members[id] = member{at: 999990, record: record{Version: version, Limits: []usage{u}}}
			}
			_, told, _ := agree(table)
			require.Equal(t, slices.Sorted(maps.Keys(test.claims)), slices.Sorted(maps.Keys(told)))
			for _, a := range told {
				got, err := parseAgreement(encode(a))
				require.NoError(t, err)
				require.Equal(t, a, got)
			}
		})
	}
}
