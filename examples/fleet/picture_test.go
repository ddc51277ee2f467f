package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// drawn returns a result of two processes that share 8 requests per 2 s. The second process is killed after 2
// s.
func drawn() *result {
	r := &result{
		plan:  plan{quota: 8, window: 2 * time.Second, processes: 2},
		begun: noon, killed: noon.Add(2 * time.Second), ended: noon.Add(4*time.Second + time.Millisecond),
		reports: []report{{Served: 11, Refused: 1, Members: 1}},
	}
	arrive := func(process, n int, at time.Duration, allowed bool) {
		for range n {
			r.arrivals = append(r.arrivals, ratelimittest.Arrival{Time: noon.Add(at), Path: path(process), Allowed: allowed})
		}
	}
	for i := range 4 {
		arrive(0, 1, time.Duration(i)*slice, true)
		arrive(1, 1, time.Duration(i)*slice, true)
	}
	arrive(0, 1, 4*slice-1, false)
	arrive(0, 5, 4*slice, true)
	arrive(0, 2, 6*slice, true)
	return r
}

func TestPicture(t *testing.T) {
	r := drawn()
	require.Equal(t, strings.TrimPrefix(`
Requests served in each 0.5 s:

                   ██
process 1  ▃▃▃▃▃▃▃▃██  ▆▆
            1 1 1 1 5   2

process 2  ▃▃▃▃▃▃▃▃ ← killed
            1 1 1 1
refused           1
           ┴───────┴───────
windows    0.0 s   2.0 s
used       8 of 8  7 of 8
`, "\n"), r.picture())
	require.Equal(t, strings.TrimPrefix(`
                           process 1   process 2       all
served before the kill             4           4         8
served after it                    7           0         7
refused                            1           0         1
members, as it knows               1      killed

refused per 1000 served  66.7
part of the quota used   0.94
`, "\n"), r.table())
}

func TestSVG(t *testing.T) {
	svg := drawn().svg()
	requireXML(t, svg)
	text := string(svg)
	require.Contains(t, text, `fill="`+paper+`"`, "a background of its own")
	for _, caption := range []string{"process 1: 4 served before the kill, 7 after it", "process 2: 4 served before the kill, 0 after it"} {
		require.Contains(t, text, ">"+caption+"<")
	}
	require.Equal(t, 10+1, strings.Count(text, "\nM"), "a bar for each column with requests")
}

// The numbers of each process are compared with the server's.
func TestUnaccounted(t *testing.T) {
	r := drawn()
	require.NoError(t, r.unaccounted())
	for name, told := range map[string]report{
		"served more":  {Served: 12, Refused: 1},
		"refused more": {Served: 11, Refused: 2},
		"failed":       {Served: 11, Refused: 1, Failed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r.reports[0] = told
			require.ErrorContains(t, r.unaccounted(), "process 1 was served")
		})
	}
}
