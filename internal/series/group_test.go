package series

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/ratelimittest"
)

func TestManyPartitions(t *testing.T) {
	const n = 300
	for _, row := range []struct {
		name   string
		most   int
		naming func(string) string
		series int
		sent   int
	}{
		{"ten", 10, nil, 10 + 1, n},
		{"one", 1, nil, 1 + 1, n},
		{"no bound", -1, nil, n, n},
		{"one name for all", 1, func(string) string { return "all" }, 1, n},
		{"as many as there is room for", n / 10, ending9, n / 10, n / 10},
		{"one more", n/10 - 1, ending9, n/10 - 1 + 1, n / 10},
	} {
		t.Run(row.name, func(t *testing.T) {
			set := tallied()
			set.MaxPartitions, set.Name = row.most, row.naming
			transport := seriestest.Instrumented(t, set, seriestest.Answering(http.StatusOK))
			for i := range n {
				require.NoError(t, seriestest.Get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
			}
			require.Len(t, set.all, row.series)
			require.Equal(t, row.sent, set.sent(), "none is lost")
			sums, partitions := set.Sums(), 0
			for _, sum := range sums {
				partitions += sum.Partitions
			}
			require.Len(t, sums, row.series)
			require.Equal(t, row.sent, partitions)
		})
	}
}

// ending9 leaves out all partitions whose name does not end in 9.
func ending9(partition string) string {
	if strings.HasSuffix(partition, "9.example.com") {
		return partition
	}
	return ""
}

// A partition named Other is counted with the names beyond the bound, and takes no room.
func TestPartitionCalledOther(t *testing.T) {
	for most, want := range []map[string]int{
		{Other: 5},
		{Other: 4, "a": 1},
		{Other: 3, "a": 1, "b": 1},
		{Other: 2, "a": 1, "b": 1, "c": 1},
		{Other: 2, "a": 1, "b": 1, "c": 1},
	} {
		t.Run(fmt.Sprint("room for ", most), func(t *testing.T) {
			set := tallied()
			set.MaxPartitions = most
			transport := seriestest.Instrumented(t, set, seriestest.Answering(http.StatusOK))
			transport.Partition = func(req *http.Request) string { return req.Header.Get("Name") }
			for _, name := range []string{Other, "a", "b", "c", Other} {
				require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL, "Name", name))
			}
			got := make(map[string]int)
			for _, one := range set.all {
				got[one.partition] = one.events[OutcomeSent]
			}
			require.Equal(t, want, got)
		})
	}
}

// Policies' names may have any bytes. The names from all events share one bound.
func TestPolicies(t *testing.T) {
	for most, want := range []map[string]int{
		{"": 1, Other: 6},
		{"": 1, "\ufffd\ufffd": 2, Other: 4},
		{"": 1, "\ufffd\ufffd": 2, "c": 1, Other: 3},
	} {
		t.Run(fmt.Sprint("room for ", most), func(t *testing.T) {
			set := tallied()
			set.MaxPolicies = most
			transport := seriestest.Instrumented(t, set, seriestest.Answering(http.StatusOK))
			for _, policy := range []string{"", "\xff\n", Other, "c", "d", "\xfe\n", strings.Repeat("é", 1<<20)} {
				transport.Trace.Throttled(t.Context(), headway.ThrottledInfo{Partition: testPartition, Policies: []string{policy, "e"}, Status: 429})
				transport.Trace.Refused(t.Context(), &headway.LimitError{Partition: testPartition, Policy: policy, Cause: headway.CausePace, Waited: time.Second, Err: headway.ErrMaxWait})
			}
			events := make(map[string]int)
			for policy, n := range want {
				for _, event := range []string{"waited %q pace", "throttled %q 429", "refused %q max_wait"} {
					events[fmt.Sprintf(event, policy)] = n
				}
			}
			require.Equal(t, events, set.events(t, testPartition))
		})
	}
}

// Limits beyond the bound share one label. A limit with that label is counted with them.
func TestLimits(t *testing.T) {
	s := &series[*tally]{limits: words{room: 2}}
	rest := Limit{Other, Other}
	for _, row := range []struct {
		policy, unit string
		want         Limit
	}{
		{Other, "tokens", rest},
		{"", "", Limit{"", ""}},
		{"a\n", "b", Limit{"a\ufffd", "b"}},
		{"a", "\nb", rest},
		{"", "", Limit{"", ""}},
		{"", "tokens", rest},
	} {
		require.Equal(t, row.want, s.limit(row.policy, row.unit), "%q %q", row.policy, row.unit)
	}
}

// A server that makes up policies, units and names cannot exceed the bounds.
func TestHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tallied()
		set.MaxPolicies = 8
		names := make(map[Limit]headway.LimitState)
		tricks := []string{Other, strings.Repeat("long", 200), "", `"} 1`, "{}", `\`, "a%0Ab", "# TYPE", "otel.metric.overflow"}
		server := &ratelimittest.Transport{}
		transport := seriestest.Instrumented(t, set, server)
		for i := range 500 {
			name := tricks[i%len(tricks)] + strings.Repeat("?", i/len(tricks)%7)
			server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Add("RateLimit-Policy", fmt.Sprintf(`%q;q=100;w=1;qu="unit%d", "%d";q=9;w=1`, name, i, i))
				w.Header().Add("RateLimit", fmt.Sprintf(`%q;r=100;t=1, "%d";r=8;t=1`, name, i))
			})
			require.NoError(t, seriestest.Get(t.Context(), transport, fmt.Sprintf("%s/%d", testPartition, i)))
			maps.Copy(names, set.sum().Limits)
		}
		require.Len(t, names, 8+1)
		require.Contains(t, names, Limit{Other, Other})
	})
}
