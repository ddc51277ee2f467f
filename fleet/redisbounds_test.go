package fleet

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func TestRedisStoreBounds(t *testing.T) {
	const most = 2*mostMembers + 4
	tests := []struct {
		name   string
		fields map[string]string
		many   int // further fields
		err    string
		check  func(t *testing.T, r *renewed)
	}{
		{name: "as many as may be", many: most - 2},
		{name: "too many", many: most, err: "too many members"},
		{name: "too many, this one among them", fields: map[string]string{"ma": "1 x"}, many: most},
		{name: "so many that nobody could read them", fields: map[string]string{"ma": "1 x"}, many: 2 * most, err: "too many members"},
		{name: "told too much", fields: map[string]string{"ta": strings.Repeat("x", mostBytes+1)}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Empty(t, r.agreement)
			require.Empty(t, r.all.agreements)
		}},
		{name: "as much as may be", fields: map[string]string{"ta": strings.Repeat("x", mostBytes)}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Len(t, r.agreement, mostBytes)
			require.Len(t, r.all.agreements["a"], mostBytes)
		}},
		{name: "fields and records that are too long", fields: map[string]string{
			"m" + strings.Repeat("n", 64): "1 x", "mlong": "1 " + strings.Repeat("x", mostBytes), "l": strings.Repeat("x", mostBytes+1),
		}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Equal(t, []string{"a"}, slices.Collect(maps.Keys(r.all.records)))
			require.Empty(t, r.all.ledger)
		}},
		{name: "foreign fields", fields: map[string]string{"": "x", "B": "1", "q": "2", "d": "soon", "l": "?", "mb": "no time", "mc": "-5 x", "md": "9e9 x"}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Equal(t, "?", r.all.ledger)
			require.Equal(t, stamped{0, "time"}, r.all.records["b"])
			require.Equal(t, stamped{0, "x"}, r.all.records["c"])
			require.Equal(t, stamped{0, "x"}, r.all.records["d"])
		}},
		{name: "a turn that never ends", fields: map[string]string{"d": "9e15"}},
		{name: "no number", fields: map[string]string{"d": "nan"}},
	}
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		for _, test := range tests {
			require.NoError(t, client.FlushAll(t.Context()).Err(), test.name)
			pipe := client.Pipeline()
			pipe.HSet(t.Context(), s.key(testName), "b", client.Time(t.Context()).Val().UnixMilli())
			for field, value := range test.fields {
				pipe.HSet(t.Context(), s.key(testName), field, value)
			}
			for from := 0; from < test.many; from += 1000 {
				var more []string
				for i := range min(1000, test.many-from) {
					more = append(more, "x"+strconv.Itoa(from+i), "")
				}
				pipe.HSet(t.Context(), s.key(testName), more)
			}
			_, err := pipe.Exec(t.Context())
			require.NoError(t, err, test.name)
			all, err := s.renew(t.Context(), "a", []renewal{{testName, "r", time.Minute}})
			if test.err != "" {
				require.ErrorContains(t, err, test.err, test.name)
				continue
			}
			require.NoError(t, err, test.name)
			require.NoError(t, all[0].err, test.name)
			require.NotNil(t, all[0].all, test.name)
			require.Equal(t, stamped{all[0].now, "r"}, all[0].all.records["a"], test.name)
			if test.check != nil {
				test.check(t, &all[0])
			}
		}
	})
}
