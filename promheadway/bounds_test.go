package promheadway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/promheadway"
	"github.com/headway-go/headway/ratelimittest"
)

func TestManyPartitions(t *testing.T) {
	const n = 10_000
	for _, row := range []struct {
		name      string
		collector *promheadway.Collector
		labels    int
	}{
		{"by default", &promheadway.Collector{}, 100 + 1},
		{"fewer", &promheadway.Collector{MaxPartitions: 3}, 3 + 1},
		{"no bound", &promheadway.Collector{MaxPartitions: -1}, n},
		{"one name for all", &promheadway.Collector{Name: func(string) string { return "all" }}, 1},
		{"a few have names", &promheadway.Collector{Name: func(partition string) string {
			if strings.HasSuffix(partition, "99.example.com") {
				return partition
			}
			return ""
		}}, n / 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport, registry := instrumented(t, row.collector, answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`))
			for i := range n {
				require.NoError(t, get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
			}
			f := gather(t, registry)
			for name, family := range f {
				require.Len(t, family.GetMetric(), row.labels, name)
			}
			sent, known := 0.0, 0.0
			for _, m := range f["headway_requests_sent_total"].GetMetric() {
				sent += m.GetCounter().GetValue()
			}
			for _, m := range f["headway_partitions"].GetMetric() {
				known += m.GetGauge().GetValue()
			}
			want := n
			if row.name == "a few have names" {
				want = n / 100
			}
			require.InDelta(t, want, sent, 0, "none is lost")
			require.InDelta(t, want, known, 0)
		})
	}
}

// A server that makes up policies, units and names as it pleases.
func TestHostileNames(t *testing.T) {
	var told families
	synctest.Test(t, func(t *testing.T) { told = hostile(t) })
	problems, err := testutil.GatherAndLint(told)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Contains(t, scrape(t, told).values("headway_limit_remaining", "policy"), "(other)")
}

func hostile(t *testing.T) families {
	t.Helper()
	tricks := []string{"(other)", strings.Repeat("long", 200), "", `"} 1`, "{}", `\`, "a%0Ab", "# TYPE"}
	server := &ratelimittest.Transport{}
	transport, registry := instrumented(t, &promheadway.Collector{}, server)
	most := 0
	for i := range 500 {
		name := tricks[i%len(tricks)] + strings.Repeat("?", i/len(tricks)%7)
		server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Add("RateLimit-Policy", fmt.Sprintf(`%q;q=100;w=1;qu="unit%d", "%d";q=9;w=1`, name, i, i))
			w.Header().Add("RateLimit", fmt.Sprintf(`%q;r=100;t=1, "%d";r=8;t=1`, name, i))
		})
		require.NoError(t, get(t.Context(), transport, fmt.Sprintf("https://api.example.com/%d", i)))
		most = max(most, len(gather(t, registry)["headway_limit_quota"].GetMetric()))
	}
	require.Equal(t, 8+1, most)
	return gather(t, registry)
}

// Names of policies may also come in by header fields that allow any byte, and through
// hooks that are called by hand.
func TestHostilePolicies(t *testing.T) {
	c := &promheadway.Collector{MaxPolicies: 2}
	transport, registry := instrumented(t, c, answering(http.StatusOK))
	for i, policy := range []string{"", "\xff\n", "(other)", "c", "d", "\xfe\n", strings.Repeat("é", 1<<20)} {
		err := refusal(policy)
		transport.Trace.Refused(t.Context(), err)
		require.NoError(t, get(t.Context(), transport, testURL), i)
	}
	f := scrape(t, registry)
	require.Equal(t, map[string]int{"": 1, "\ufffd\ufffd": 1, "(other)": 1}, f.values("headway_requests_refused_total", "policy"))
	require.InDelta(t, 4, f.value(t, "headway_requests_refused_total", "policy", "(other)"), 0)
}

// A partition that is called as those without a name of their own shares theirs.
func TestPartitionCalledOther(t *testing.T) {
	for _, row := range []struct {
		name string
		most int
	}{{"with room", 1}, {"without", 2}} {
		t.Run(row.name, func(t *testing.T) {
			transport, registry := instrumented(t, &promheadway.Collector{MaxPartitions: row.most}, answering(http.StatusOK))
			names := []string{"(other)", "a", "b", "c", "(other)"}
			transport.Partition = func(req *http.Request) string { return req.Header.Get("Name") }
			for _, name := range names {
				require.NoError(t, get(t.Context(), transport, testURL, "Name", name))
			}
			f := scrape(t, registry)
			sum := 0.0
			for _, m := range f["headway_requests_sent_total"].GetMetric() {
				sum += m.GetCounter().GetValue()
			}
			require.InDelta(t, len(names), sum, 0)
			require.InDelta(t, len(names)-(row.most-1), f.value(t, "headway_requests_sent_total", "partition", "(other)"), 0)
		})
	}
}
