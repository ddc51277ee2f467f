package validate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A seen is a response with a reset, and the time to the reset as read.
type seen struct {
	at        time.Duration // of receipt, from the first response
	remaining int
	reset     string
	want      time.Duration
	isDoubted bool // although it is not Unknown
}

func requireSeen(t *testing.T, quota int, url string, all []seen) {
	t.Helper()
	var now time.Duration
	reader := validate.NewReader(validate.Bounds{}, func() time.Time { return received.Add(now) })
	for i, x := range all {
		now = x.at
		m := msg(200, fmt.Sprint("X-RateLimit-Limit: ", quota), fmt.Sprint("X-RateLimit-Remaining: ", x.remaining), "X-RateLimit-Reset: "+x.reset)
		m.url = url
		reading := reader.Read(m.response())
		require.Len(t, reading.Limits, 1, "response %d", i)
		require.Equal(t, x.want, reading.Limits[0].Reset, "response %d", i)
		if x.want == unknown || x.isDoubted {
			require.Equal(t, []string{"X-RateLimit-Reset: " + string(validate.Doubted)}, problems(*reading))
		}
		reader.Free(reading)
	}
}

// TestUnitOfReset checks that two responses of one limit tell whether its reset counts milliseconds.
func TestUnitOfReset(t *testing.T) {
	const ms = time.Millisecond
	const minutes, hours = 60 * s, 3600 * s
	for _, c := range []struct {
		name  string
		quota int
		all   []seen
	}{
		{"it falls by 1000 per second", 600, []seen{
			{0, 598, "60000", unknown, false},
			{s, 597, "59000", minutes - s, false},
			{2 * s, 596, "58010", 58010 * ms, false},
			{59 * s, 500, "900", 900 * ms, false},
			{59950 * ms, 499, "40", 40 * ms, false},
			{60 * s, 599, "60000", minutes, false},
		}},
		{"soon after each other, with jitter", 600, []seen{
			{0, 598, "60000", unknown, false},
			{20 * ms, 597, "59980", unknown, false},
			{300 * ms, 596, "59580", 59580 * ms, false},
		}},
		{"the window begins anew early", 600, []seen{
			{0, 598, "60000", unknown, false},
			{70 * s, 599, "60000", minutes, false},
		}},
		{"less than an hour", 10, []seen{
			{0, 9, "2000", 2000 * s, false},
			{300 * ms, 8, "1700", 1700 * s, false},
			{600 * ms, 7, "1400", 1400 * s, false},
			{900 * ms, 6, "1110", 1110 * s, false},
			{1200 * ms, 5, "800", 800 * ms, false},
			{1500 * ms, 4, "500", 500 * ms, false},
		}},
		{"less than an hour, and one comes late", 10, []seen{
			{0, 9, "2000", 2000 * s, false},
			{300 * ms, 8, "1700", 1700 * s, false},
			{600 * ms, 7, "1400", 1400 * s, false},
			{1300 * ms, 6, "1200", 1200 * s, false},
			{1301 * ms, 6, "699", 699 * s, false},
		}},
		{"two windows of a quarter of an hour, in turn", 100, []seen{
			{0, 10, "800", 800 * s, false},
			{s, 99, "899", 899 * s, false},
			{2 * s, 9, "798", 798 * s, false},
			{3 * s, 98, "897", 897 * s, false},
			{4 * s, 8, "796", 796 * s, false},
			{5 * s, 97, "895", 895 * s, false},
			{6 * s, 7, "794", 794 * s, false},
			{7 * s, 96, "893", 893 * s, false},
			{8 * s, 6, "792", 792 * s, false},
			{9 * s, 95, "891", 891 * s, false},
			{10 * s, 5, "790", 790 * s, false},
			{11 * s, 94, "889", 889 * s, false},
		}},
		{"two windows that differ by what passes", 100, []seen{
			{0, 50, "3500", 3500 * s, false},
			{s, 49, "2500", 2500 * s, false},
			{2 * s, 49, "3498", 3498 * s, false},
			{3 * s, 48, "2498", 2498 * s, false},
			{4 * s, 48, "3496", 3496 * s, false},
			{5 * s, 47, "2496", 2496 * s, false},
			{6 * s, 47, "3494", 3494 * s, false},
			{7 * s, 46, "2494", 2494 * s, false},
			{8 * s, 46, "3492", 3492 * s, false},
			{9 * s, 45, "2492", 2492 * s, false},
		}},
		{"two windows of a day: one that is nearly full is no new one", 1000, []seen{
			{0, 900, "80000", unknown, false},
			{s, 10, "40000", unknown, false}, // from here on it may be another limit
			{50 * s, 899, "79950", unknown, false},
			{51 * s, 9, "39949", unknown, false},
			{100 * s, 898, "79900", unknown, false},
		}},
		{"it falls by 1 per second", 5000, []seen{
			{0, 4999, "86399", unknown, false},
			{s, 4998, "86398", unknown, false},
			{3 * s, 4997, "86396", 86396 * s, false},
			{3 * s, 4996, "86396", 86396 * s, false},
			{time.Hour, 4995, "82799", 82799 * s, false},
		}},
		{"it does not fall", 5000, []seen{
			{0, 4999, "86400", unknown, false},
			{60 * s, 4998, "86400", unknown, false},
		}},
		{"more is left, but the number falls", 600, []seen{
			{0, 100, "60000", unknown, false},
			{s, 500, "59000", unknown, false},
		}},
		{"the next window of seconds", 100, []seen{
			{0, 50, "3000", 3000 * s, false},
			{3000 * s, 99, "3600", 3600 * s, false},
			{3010 * s, 98, "3590", 3590 * s, false},
		}},
		{"contradicted", 600, []seen{
			{0, 598, "60000", unknown, false},
			{s, 597, "59000", 59 * s, false},
			{4 * s, 596, "58997", 58997 * s, false},
			{8 * s, 595, "58993", 58993 * s, false},
		}},
		{"confirmed, and contradicted", 600, []seen{
			{0, 598, "60000", unknown, false},
			{s, 597, "59000", 59 * s, false},
			{2 * s, 596, "58000", 58 * s, false},
			{5 * s, 595, "57997", 57997 * ms, false}, // once may be chance
			{9 * s, 594, "57993", 57993 * s, false},
		}},
		{"known, and then another limit under the same name", 600, []seen{
			{0, 598, "60000", unknown, false},
			{s, 597, "59000", 59 * s, false},
			{2 * s, 300, "10000", unknown, false},
		}},
		{"used up, in milliseconds", 600, []seen{{0, 0, "60000", 60 * s, true}, {60 * s, 599, "60000", minutes, false}}},
		{"used up, in seconds", 600, []seen{{0, 0, "60000", 60 * s, true}, {60 * s, 0, "59940", 59940 * s, false}}},
		{"an hour", 600, []seen{{0, 598, "3600", hours, false}, {0, 598, "3601", unknown, false}}},
	} {
		t.Run(c.name, func(t *testing.T) { requireSeen(t, c.quota, "https://api.example.com/things", c.all) })
	}
	t.Run("a profile needs no second response", func(t *testing.T) {
		first := []seen{{0, 598, "60000", minutes, false}}
		requireSeen(t, 600, "https://eth.blockscout.com/api/v2/stats", first)
		requireSeen(t, 600, "https://us-api.mimecast.com/api/login", first)
	})
	t.Run("a response of an unknown host", func(t *testing.T) {
		requireSeen(t, 600, "", []seen{{0, 598, "60000", 60000 * s, false}, {s, 597, "59000", 59000 * s, false}})
	})
}

// TestUnitsAreBounded checks that a Reader forgets the limits that it saw longest ago.
func TestUnitsAreBounded(t *testing.T) {
	var now time.Duration
	reader := validate.NewReader(validate.Bounds{}, func() time.Time { return received.Add(now) })
	read := func(host int, number int) time.Duration {
		m := msg(200, "X-RateLimit-Limit: 600", "X-RateLimit-Remaining: 5", fmt.Sprint("X-RateLimit-Reset: ", number))
		m.url = fmt.Sprintf("https://h%d.example/", host)
		return reader.Read(m.response()).Limits[0].Reset
	}
	for host := range 300 {
		now += s
		require.Equal(t, time.Duration(unknown), read(host, 60000))
		now += s
		require.Equal(t, 59*s, read(host, 59000))
	}
	require.Equal(t, 50*time.Millisecond, read(299, 50))
	require.Equal(t, time.Duration(unknown), read(0, 58000), "forgotten")
}
