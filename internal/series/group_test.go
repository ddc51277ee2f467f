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
)

func TestManyPartitions(t *testing.T) {
	const n = 3000
	for _, row := range []struct {
		name   string
		most   int
		naming func(string) string
		series int
		sent   int
	}{
		{"a hundred", 100, nil, 100 + 1, n},
		{"one", 1, nil, 1 + 1, n},
		{"no bound", -1, nil, n, n},
		{"one name for all", 1, func(string) string { return "all" }, 1, n},
		{"as many as there is room for", n / 100, ending99, n / 100, n / 100},
		{"one more", n/100 - 1, ending99, n/100 - 1 + 1, n / 100},
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

// ending99 leaves out all partitions whose name does not end in 99.
func ending99(partition string) string {
	if strings.HasSuffix(partition, "99.example.com") {
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
		most := 0
		names := make(map[Limit]headway.LimitState)
		seriestest.Hostile(t, set, func() {
			limits := set.sum(testPartition).Limits
			most = max(most, len(limits))
			maps.Copy(names, limits)
		})
		require.Equal(t, 8+1, most)
		require.Len(t, names, 8+1)
		require.Contains(t, names, Limit{Other, Other})
	})
}
