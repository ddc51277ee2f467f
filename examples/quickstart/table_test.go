package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestTable(t *testing.T) {
	spiky := join(arriving(50, 0, true), arriving(10, time.Millisecond, false), arriving(20, window, true))
	even := arriving(15, 0, true)
	for i := range 55 {
		even = join(even, arriving(1, tenth+time.Duration(i)*tenth/5, true))
	}
	got := palette(false).table(ratelimittest.Batch{Requests: 70, Workers: 8}, []result{
		{contender: contender{name: "spiky"}, begun: noon, took: 5010 * time.Millisecond, arrivals: spiky},
		{contender: contender{name: "even"}, begun: noon, took: 6 * time.Second, arrivals: even},
	})
	require.Equal(t, strings.TrimPrefix(`
                                      spiky           even          ideal
requests                                 80             70             70
refused                         10 (12.5 %)              0              0
finished after                        5.0 s          6.0 s          5.0 s
busiest tenth of a window                60             15              5
  after the first burst                  20              5              5
`, "\n"), strings.Split(got, "\nThe ideal")[0])
}
