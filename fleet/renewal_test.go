package fleet

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// A tellStep is what the store has for a partition some time after the previous step.
type tellStep struct {
	after time.Duration
	data  string
	want  int // members; 0: no part
}

func TestAccept(t *testing.T) {
	const there = 1_000_000 // the store's time at the start
	of := func(members int, at time.Duration) string {
		return encode(agreement{Version: version, Made: there + at.Milliseconds(), Members: members})
	}
	const second = time.Second
	tests := []struct {
		name  string
		steps []tellStep
	}{
		{"never anything", []tellStep{{0, "", 0}, {second, "", 0}}},
		{"something new each time", []tellStep{{0, of(1, 0), 1}, {second, of(2, second), 2}}},
		{"as old as a lease", []tellStep{{leaseFor, of(1, 0), 1}}},
		{"older than a lease", []tellStep{{leaseFor + second, of(1, 0), 0}}},
		{"nothing any more: what was told stays", []tellStep{{0, of(1, 0), 1}, {second, "", 1}, {second, "", 1}}},
		{"what is not ours: what was told stays", []tellStep{{0, of(1, 0), 1}, {second, `{"v":1}`, 1}}},
		{"the same all the time: it stays for a lease and a while", []tellStep{
			{0, of(1, 0), 1},
			{2 * second, of(1, 0), 1},
			{2 * second, of(1, 0), 1},
			{2 * second, of(1, 0), 1},
			{2 * second, of(1, 0), 1},
			{2 * second, of(1, 0), 1},
			{2 * second, of(1, 0), 1},
			{2 * second, of(1, 0), 0},
		}},
		{"nothing for long: it goes", []tellStep{
			{0, of(1, 0), 1}, {2 * second, "", 1}, {2 * second, "", 1}, {2 * second, "", 1}, {2 * second, "", 1}, {2 * second, "", 1}, {2 * second, "", 0},
		}},
		{"nothing was asked for a lease: it goes", []tellStep{{0, of(1, 0), 1}, {leaseFor + second, "", 0}}},
		{"it is told again", []tellStep{{0, of(1, 0), 1}, {leaseFor + second, "", 0}, {second, "", 0}, {second, of(3, leaseFor+2*second), 3}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var p partition
			begun := time.Now()
			now := begun
			for i, step := range test.steps {
				now = now.Add(step.after)
				require.Equal(t, step.want > 0, p.accept(step.data, there+now.Sub(begun).Milliseconds(), now), i)
				if step.want > 0 {
					part := p.parts(&limits.Usage{}, now)
					require.Equal(t, step.want, part.Members, i)
					require.Equal(t, leaseFor, part.Lasts, i)
				}
			}
		})
	}
}

// No limits are reported while the store's time is unknown, as the ends of windows could not be converted.
func TestRecordsOfAnUnknownClock(t *testing.T) {
	now := time.Now()
	u := limits.Usage{Limits: []limits.Use{{Quota: 1, Window: time.Hour, Remaining: -1, Ends: time.Minute}}}
	p := partition{demands: make(map[string]*demand)}
	r, longest := p.record(&u, now)
	require.Empty(t, r.Limits)
	require.Zero(t, longest)
	require.Empty(t, p.demands)

	p.clock.set(testNow, now, now)
	r, longest = p.record(&u, now)
	require.Len(t, r.Limits, 1)
	require.Equal(t, int64(testNow+60_000), r.Limits[0].Ends)
	require.Equal(t, time.Hour, longest)
}

// A member reports the part that it uses, until that expires.
func TestReportedPart(t *testing.T) {
	now := time.Now()
	for _, row := range []struct {
		name  string
		ends  int64 // of the part's window, after that of the open one
		after time.Duration
		want  part
	}{
		{"of the open window", 0, 0, part{Units: 7, Next: 5, Share: 0.5}},
		{"of a window that begins a little later", 20_000, 0, part{Units: 7, Next: 5, Share: 0.5}},
		{"of the last window", -60_000, 0, part{Units: 5, Next: 5, Share: 0.5}},
		{"shortly before it expires", 0, leaseFor - 1, part{Units: 7, Next: 5, Share: 0.5}},
		{"expired", 0, leaseFor, part{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := partition{demands: make(map[string]*demand)}
			p.clock.set(testNow, now, now)
			u := limits.Usage{Limits: []limits.Use{{Quota: 60, Window: time.Minute, Remaining: -1, Ends: 30 * time.Second}}}
			told := part{ID: p.id(&u.Limits[0]), Ends: testNow + 30_000 + row.ends, Units: 7, Next: 5, Share: 0.5, Remaining: -1}
			require.True(t, p.accept(encode(agreement{Version: version, Made: testNow, Members: 2, Limits: []part{told}}), testNow, now))
			r, _ := p.record(&u, now.Add(row.after))
			got := r.Limits[0]
			require.Equal(t, row.want, part{Units: got.Units, Next: got.Next, Share: got.Share})
		})
	}
}

// The store keeps a partition for two of its windows, as units used in them still count.
func TestHowLongPartitionsAreKept(t *testing.T) {
	for _, row := range []struct{ longest, keep time.Duration }{
		{0, minExpiry},
		{time.Second, minExpiry},
		{minExpiry / 2, minExpiry},
		{minExpiry/2 + time.Second, minExpiry + 2*time.Second},
		{10 * time.Minute, 20 * time.Minute},
		{maxExpiry / 2, maxExpiry},
		{maxExpiry/2 + time.Second, maxExpiry},
		{30 * 24 * time.Hour, maxExpiry},
	} {
		t.Run(row.longest.String(), func(t *testing.T) {
			r := record{Version: version, Left: true}
			require.Equal(t, renewal{testName, encode(r), row.keep}, newRenewal(testName, &r, row.longest))
		})
	}
}

// A partition never has more members than a division can handle, whoever writes to the store.
func TestMostMembers(t *testing.T) {
	const more = 3
	c := contents{born: 1, written: 2, ledger: encode(ledger{Version: version}), records: make(map[string]stamped), agreements: make(map[string]string)}
	mine := encode(record{Version: version})
	for i := range mostMembers + more {
		c.records[fmt.Sprintf("%05d", i)] = stamped{at: testNow, record: mine}
		c.records[fmt.Sprintf("%05d of another program", i)] = stamped{at: testNow, record: "{}"}
	}
	table := c.table(testNow)
	require.Len(t, table.members, mostMembers)
	for i := range mostMembers + more {
		_, ok := table.members[fmt.Sprintf("%05d", i)]
		require.Equal(t, i < mostMembers, ok, i)
	}
}

func TestNextTurn(t *testing.T) {
	for _, row := range []struct {
		members int
		want    time.Duration
	}{
		{1, 250 * time.Millisecond},
		{10, 250 * time.Millisecond},
		{249, 250 * time.Millisecond},
		{250, 500 * time.Millisecond},
		{500, 750 * time.Millisecond},
		{750, time.Second},
		{mostMembers, time.Second},
	} {
		require.Equal(t, row.want, nextTurn(row.members), row.members)
	}
}

// A telling store has a fixed agreement for each member.
type telling struct {
	store
	told string
}

func (s *telling) renew(_ context.Context, _ string, batch []renewal) ([]renewed, error) {
	all := make([]renewed, len(batch))
	for i := range all {
		all[i] = renewed{now: time.Now().UnixMilli(), agreement: s.told}
	}
	return all, nil
}

// A member asks for an early renewal if more than its part may soon be free, and only then.
func TestMembersThatWaitAreRenewedSoon(t *testing.T) {
	has := func(id string, full bool) []part {
		return []part{{ID: id, Units: 5, Next: 5, Share: 0.5, Full: full, Remaining: -1}}
	}
	for _, row := range []struct {
		name  string
		waits bool
		told  func(id string) []part // nil: none
		want  bool
	}{
		{"nothing is agreed on", true, nil, true},
		{"it has less than it is to have", true, func(id string) []part { return has(id, false) }, true},
		{"of this limit nothing is agreed on", true, func(string) []part { return has("another", true) }, true},
		{"it has all that it can have", true, func(id string) []part { return has(id, true) }, false},
		{"nothing waits, and nothing is agreed on", false, nil, false},
		{"nothing waits, and it has less", false, func(id string) []part { return has(id, false) }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newHandFleet(t, "/a")
				asked := 0
				f.want = func() { asked++ }
				all, ok := f.Reports()
				require.True(t, ok)
				require.Len(t, all, 1)
				require.Len(t, all[0].Limits, 1)
				s := &telling{}
				if row.told != nil {
					a := agreement{Version: version, Made: time.Now().UnixMilli(), Members: 2, Limits: row.told(string(f.names.Of("limit", "default", "", "requests", "0")))}
					s.told = encode(a)
				}
				if row.waits {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/a", http.NoBody)
					require.NoError(t, err)
					go func() { // waits for its slot
						if resp, err := f.user.RoundTrip(req); err == nil {
							_ = resp.Body.Close()
						}
					}()
					synctest.Wait()
				}
				f.renews(t, s, false)
				require.Equal(t, row.want, asked > 0)
			})
		})
	}
}
