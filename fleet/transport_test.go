package fleet

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

// A handFleet renews its only member when the test calls it.
type handFleet struct {
	*transport
	user *headway.Transport
}

func (f *handFleet) Key() []byte { return []byte(fleettest.Key) }

func (f *handFleet) Join(m *share.Member) chan<- struct{} {
	f.transport = newTransport(m, newFleet(nil, []byte(fleettest.Key)))
	return nil
}

// newHandFleet returns the Fleet of a Transport that has made a request to each path. Each path is a partition.
func newHandFleet(t *testing.T, paths ...string) *handFleet {
	t.Helper()
	f := &handFleet{}
	service := fleettest.NewService(600)
	service.Client = func(r *http.Request) string { return r.URL.Path }
	f.user = &headway.Transport{
		Base: &ratelimittest.Transport{Handler: service}, Fleet: f,
		Partition: func(r *http.Request) string { return r.URL.Path },
	}
	f.visit(t, paths...)
	return f
}

func (f *handFleet) visit(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		resp, err := f.user.RoundTrip(request(t, path))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
}

// renews renews the only member, which succeeds.
func (f *handFleet) renews(t *testing.T, s store.Store) {
	t.Helper()
	isUsed, err := f.renew(t.Context(), s, false)
	require.NoError(t, err)
	require.True(t, isUsed)
}

// recording is a store that records its renewals, and in which some agreements fail.
type recording struct {
	store.Store

	renewed [][]string // names of partitions
	denied  []string   // partitions of which another member has the turn
}

func (s *recording) Renew(ctx context.Context, id string, batch []store.Renewal) ([]store.Renewed, error) {
	var names []string
	for i := range batch {
		names = append(names, batch[i].Name)
	}
	if batch[0].Record != "" { // otherwise it is a census
		s.renewed = append(s.renewed, names)
	}
	return s.Store.Renew(ctx, id, batch)
}

func (s *recording) Agree(ctx context.Context, batch []store.Outcome) []error {
	errs := make([]error, len(batch))
	for i := range batch {
		if slices.Contains(s.denied, batch[i].Name) {
			errs[i] = store.ErrTurn
		} else {
			errs[i] = s.Store.Agree(ctx, batch[i:i+1])[0]
		}
	}
	return errs
}

// An agreement is used for a lease. If the store has lost it, or has something else, it stays in use for ten seconds.
func TestAccept(t *testing.T) {
	const there = 1_000_000 // the store's time at the start
	of := func(members int, at time.Duration) string {
		return encode(agreement{Version: store.Version, Made: there + at.Milliseconds(), Members: members})
	}
	type step struct { // what the store has some time after the previous step
		after time.Duration
		data  string
		want  int // members; 0: no part
	}
	const second = time.Second
	for _, row := range []struct {
		name  string
		steps []step
	}{
		{"older than a lease", []step{{leaseFor + time.Millisecond, of(1, 0), 0}}},
		{"what is not ours: what was told stays", []step{{0, of(1, 0), 1}, {second, `{"v":1}`, 1}}},
		{"the same all the time: it stays for a lease and a while", []step{
			{0, of(1, 0), 1}, {leaseFor, of(1, 0), 1}, {leaseFor, of(1, 0), 1}, {leaseFor, of(1, 0), 1}, {leaseFor, of(1, 0), 1}, {2 * second, of(1, 0), 0},
		}},
		{"nothing for long: it goes", []step{
			{0, of(1, 0), 1}, {leaseFor, "", 1}, {leaseFor, "", 1}, {leaseFor, "", 1}, {second, "", 1}, {1, "", 0},
		}},
		{"nothing was asked for a lease: it goes", []step{{0, of(1, 0), 1}, {leaseFor + 1, "", 0}, {second, of(3, leaseFor+second), 3}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p partition
			begun := time.Now()
			now := begun
			for i, step := range row.steps {
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

// The store keeps a partition for two of its windows, as units used in them still count.
func TestHowLongPartitionsAreKept(t *testing.T) {
	for longest, keep := range map[time.Duration]time.Duration{
		0:                         minExpiry,
		minExpiry/2 + time.Second: minExpiry + 2*time.Second,
		maxExpiry/2 - time.Second: maxExpiry - 2*time.Second,
		maxExpiry/2 + time.Second: maxExpiry,
		30 * 24 * time.Hour:       maxExpiry,
	} {
		require.Equal(t, keep, newRenewal(fleettest.Name, &record{}, longest).Keep, longest)
	}
}

// Servers choose the names of limits, so a limit that is not reported any more is forgotten, and few are reported at once.
func TestLimitsAreForgotten(t *testing.T) {
	var many []limits.Use
	for i := range 2 * mostLimits {
		many = append(many, limits.Use{ID: limits.ID{Policy: strconv.Itoa(i)}, Quota: 1, Window: time.Second})
	}
	now := time.Now()
	p := partition{demands: make(map[string]*demand)}
	p.clock.set(1000, now, now)
	for from := range mostLimits {
		r, _ := p.record(&limits.Usage{Limits: many[from : from+2]}, now)
		require.Len(t, r.Limits, 2)
		require.Len(t, p.demands, 2)
	}
	r, _ := p.record(&limits.Usage{Limits: many}, now)
	require.Len(t, r.Limits, mostLimits)
}

// A partition never has more members than a division can handle, whoever writes to the store.
func TestMostMembers(t *testing.T) {
	const more = 3
	c := store.NewContents(1)
	mine := encode(record{Version: store.Version})
	for i := range store.MostMembers + more {
		c.Records[fmt.Sprintf("%05d", i)] = store.Stamped{At: testNow, Record: mine}
		c.Records[fmt.Sprintf("%05d of another program", i)] = store.Stamped{At: testNow, Record: "{}"}
	}
	table := parseContents(c, testNow)
	require.Len(t, table.members, store.MostMembers)
	for i := range store.MostMembers + more {
		_, ok := table.members[fmt.Sprintf("%05d", i)]
		require.Equal(t, i < store.MostMembers, ok, i)
	}
}

// A member uses its own agreement at once if the store has accepted it. Otherwise others could be given the
// same units.
func TestOwnPartOnlyIfStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newHandFleet(t, "/a", "/b")
		s := &recording{Store: newMemory()}
		agreed := func() (n int) {
			for _, s := range f.user.State() {
				if s.Limits[0].Agreed {
					n++
				}
			}
			return n
		}
		f.renews(t, s)
		s.denied = s.renewed[0][:1]
		time.Sleep(store.TurnFor)
		require.Zero(t, agreed(), "nothing is agreed on yet")
		f.renews(t, s)
		require.Equal(t, 1, agreed(), "one is not kept up by another")
		s.denied = nil
		time.Sleep(store.TurnFor)
		f.renews(t, s)
		require.Equal(t, 2, agreed())
	})
}

// With too many partitions, the same ones are shared each time, by all members.
func TestMostPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		for i := range mostPartitions + 100 {
			paths = append(paths, fmt.Sprintf("/%d", i))
		}
		s := &recording{Store: newMemory()}
		f := newHandFleet(t, paths...)
		f.renews(t, s)
		time.Sleep(time.Second)
		f.renews(t, s)
		slices.Reverse(paths)
		other := newHandFleet(t, paths...)
		other.renews(t, s)
		require.Len(t, s.renewed, 5, "each knows the store's time from the first time on")
		for i, names := range s.renewed {
			require.Len(t, names, mostPartitions)
			require.True(t, slices.Equal(s.renewed[0], names), i)
		}
	})
}

// A partition is forgotten after a long time without use.
func TestPartitionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newHandFleet(t, "/a", "/b"), newMemory()
		f.renews(t, s)
		for step := range 20 {
			require.Equal(t, step <= 11, len(f.partitions) == 2, "%d tenths of the time", step)
			time.Sleep(idleFor / 10)
			f.visit(t, "/b")
			f.renews(t, s)
		}
	})
}

// A renewal that Close interrupts is not reported as a lost store.
func TestCloseIsNotReportedAsLostStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newHandFleet(t)
		var told []error
		f.user.Trace = &headway.Trace{Fleet: func(i headway.FleetInfo) { told = append(told, i.Err) }}
		f.visit(t, "/a")
		s := newMemory()
		s.set(true)
		closing, cancel := context.WithCancel(t.Context())
		time.AfterFunc(renewEvery/2, cancel)
		_, err := f.renew(closing, s, false)
		require.NoError(t, err)
		require.Empty(t, told)
		_, err = f.renew(t.Context(), s, false)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], context.DeadlineExceeded)
	})
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
		{"of the last window", -60_000, 0, part{Units: 5, Next: 5, Share: 0.5}},
		{"expired", 0, leaseFor, part{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := partition{demands: make(map[string]*demand)}
			p.clock.set(testNow, now, now)
			u := limits.Usage{Limits: []limits.Use{{Quota: 60, Window: time.Minute, Remaining: -1, Ends: 30 * time.Second}}}
			told := part{ID: p.id(&u.Limits[0]), Ends: testNow + 30_000 + row.ends, Units: 7, Next: 5, Share: 0.5, Remaining: -1}
			require.True(t, p.accept(encode(agreement{Version: store.Version, Made: testNow, Members: 2, Limits: []part{told}}), testNow, now))
			r, _ := p.record(&u, now.Add(row.after))
			got := r.Limits[0]
			require.Equal(t, row.want, part{Units: got.Units, Next: got.Next, Share: got.Share})
		})
	}
}

// Requests that wait may get more if nothing is agreed on, or their member has less than it is to have.
func TestMayGrow(t *testing.T) {
	now := time.Now()
	for _, row := range []struct {
		name    string
		waiting int
		told    bool // something is agreed on
		full    bool
		want    bool
	}{
		{"nothing is agreed on", 1, false, false, true},
		{"it has less than it is to have", 1, true, false, true},
		{"it has all that it can have", 1, true, true, false},
		{"nothing waits, and it has less", 0, true, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p partition
			if row.told {
				told := part{ID: p.id(&limits.Use{ID: limits.ID{Policy: "this"}}), Full: row.full, Remaining: -1}
				require.True(t, p.accept(encode(agreement{Version: store.Version, Made: testNow, Members: 2, Limits: []part{told}}), testNow, now))
			}
			u := limits.Usage{Limits: []limits.Use{{ID: limits.ID{Policy: "this"}, Waiting: row.waiting}}}
			require.Equal(t, row.want, p.mayGrow(&u, now))
		})
	}
}
