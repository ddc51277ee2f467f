package pacer_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

var write = flag.Bool("write", false, "write what TestHowItPaces, TestServers and TestStabilises compute into docs")

const howItPaces = "how-it-paces.md"

// TestHowItPaces computes every worked example of docs/how-it-paces.md and compares its table with the page's.
// With -write it writes the tables into the page instead.
func TestHowItPaces(t *testing.T) {
	docs, err := page.Docs()
	require.NoError(t, err)
	text, err := docs.Read(howItPaces)
	require.NoError(t, err)
	for _, example := range []struct {
		name    string // marks the table's place in the page
		compute func(*testing.T) table
	}{
		{"start", startExample},
		{"window", windowExample},
		{"bucket", bucketExample},
		{"belief", beliefExample},
		{"join", joinExample},
		{"hold", holdExample},
		{"trial", trialExample},
		{"back", backExample},
	} {
		t.Run(example.name, func(t *testing.T) {
			computed := "\n" + example.compute(t).String()
			if *write {
				require.NoError(t, docs.Replace(howItPaces, example.name, computed))
				return
			}
			shown, err := page.Part(text, example.name)
			require.NoError(t, err)
			require.Equal(t, computed, shown, "measure/run how-it-paces writes it")
		})
	}
}

// A table is one in Markdown: a head and rows.
type table [][]string

func head(cells ...string) *table { return &table{cells} }

func (t *table) row(cells ...any) {
	var row []string
	for _, cell := range cells {
		if d, ok := cell.(time.Duration); ok {
			cell = fmt.Sprintf("%.4g s", d.Seconds())
		}
		row = append(row, fmt.Sprint(cell))
	}
	*t = append(*t, row)
}

func (t table) String() string {
	var b strings.Builder
	for i, row := range t {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	return b.String()
}

// interval is the only limit's, as the page writes it.
func (d *driver) interval() string { return fmt.Sprintf("one every %.3g s", 1/d.limit().Rate) }

// rate is the only limit's, as the page writes it.
func (d *driver) rate() string { return fmt.Sprintf("%.2g per second", d.limit().Rate) }

// perMinute is a policy of so many requests per minute.
func perMinute(quota int64) ratelimittest.Policy {
	return ratelimittest.Policy{Quota: quota, Window: minute}
}

// startExample is how 200 requests at once go to a server that is not known yet. A response takes 0.1 s.
func startExample(t *testing.T) table {
	t.Helper()
	const trip = 100 * time.Millisecond
	limiting := server{limiter: &ratelimittest.FixedWindow{Policy: perMinute(100)}}
	var sent [2][]time.Duration // when each request goes
	for i, serve := range []func(*exchange){func(e *exchange) { limiting.serve(e) }, func(e *exchange) { e.answer = ok() }} {
		w := newWorld(1, trip, serve)
		w.join(pacer.Config{Jitter: -1}, 200, 0).went = func(e *exchange) { sent[i] = append(sent[i], e.sent) }
		w.run(3 * minute)
	}
	all := head("time", "sent so far, if the server reports q = 100 and w = 60", "sent so far, if the server reports no limit")
	for _, at := range []time.Duration{0, trip * 3 / 2, trip * 5 / 2, second, minute, 2 * minute} {
		var n [2]int
		for i := range sent {
			for n[i] < min(len(sent[i]), 200) && sent[i][n[i]] <= at {
				n[i]++
			}
		}
		all.row(at, n[0], n[1])
	}
	return *all
}

func windowExample(t *testing.T) table {
	t.Helper()
	all := head("r", "t", "headway", "why")
	for _, row := range []struct {
		left  int64
		reset time.Duration
		why   string
	}{
		{50, 30 * second, "the nominal rate q/w: exactly an even part is left"},
		{40, 30 * second, "41 units in 29 s: the 41st may use the next window"},
		{75, 30 * second, "75 units in 30 s: more than an even part is left"},
		{100, 10 * second, "twice the nominal rate is the most"},
		{5000, 30 * second, "the same, although r is wrong"},
		{0, 30 * second, "nothing is left: it waits for the end, and a second more for the first one"},
	} {
		d := drive(t, even)
		d.get(says(100, minute, row.left, row.reset))
		planned := d.interval()
		if row.left == 0 {
			planned = fmt.Sprintf("the next in %.3g s", d.wait().Seconds())
		}
		all.row(row.left, row.reset, planned, row.why)
	}
	return *all
}

func bucketExample(t *testing.T) table {
	t.Helper()
	all := head("units in the bucket", "headway", "why")
	d := drive(t, even)
	d.get(says(100, 50*second, 50, 25*second))
	d.advance(10 * second)
	d.get(says(100, 50*second, 69, 15*second)) // 20 came back long before the end
	require.True(t, d.limit().Refills)
	for _, row := range []struct {
		left int64
		why  string
	}{
		{100, "2 come back per second, and 100 are spread over 50 s"},
		{50, "2 come back, and 50 are spread over 50 s"},
		{10, "2 come back, and 10 are spread over 50 s"},
		{0, "0.5 s for the refill, and 0.25 s for a reserve of half a unit"},
	} {
		d.advance(hour) // it is full
		d.answer(d.send(100-row.left), says(100, 50*second, row.left, time.Duration(100-row.left)*second/2))
		all.row(row.left, d.rate(), row.why)
	}
	return *all
}

func beliefExample(t *testing.T) table {
	t.Helper()
	all := head("10 requests in the next 6 s", "t after that", "headway believes")
	for _, row := range []struct {
		what       string
		falls, end int64
	}{
		{"r falls by 1 with each, to 80", 1, 48},
		{"r falls by 2 with each, to 70", 2, 48},
		{"r stays at 90", 0, 54},
		{"r falls by 1 with each, to 80", 1, 59},
	} {
		d := drive(t, even)
		d.get(says(100, minute, 90, 54*second))
		for i := range int64(10) {
			d.advance(600 * time.Millisecond)
			reset := 54*second + time.Duration((row.end-54)*(i+1))*second/10
			d.get(says(100, minute, 90-row.falls*(i+1), (reset + second - 1).Truncate(second)))
		}
		kind := "a fixed window"
		if d.limit().Refills {
			kind = "a limit that refills"
		} else if d.limit().Share < 1 {
			kind += fmt.Sprintf(", and others that use it: its share is %.2f", d.limit().Share)
		}
		all.row(row.what, fmt.Sprintf("%d s", row.end), kind)
	}
	return *all
}

// joinExample is how a client comes to its part beside one that was there before, and what happens when that one goes.
func joinExample(t *testing.T) table {
	t.Helper()
	const windows = 14
	var served, refused [windows][2]int
	s := server{limiter: &ratelimittest.FixedWindow{Policy: perMinute(100)}}
	w := newWorld(1, 100*time.Millisecond, func(e *exchange) { s.serve(e) })
	w.join(pacer.Config{}, 8, 0)
	w.join(pacer.Config{}, 8, 2*minute+15*second)
	w.read = func(e *exchange) {
		n, i := w.now/minute, slices.Index(w.clients, e.client)
		if e.answer.Refused {
			refused[n][i]++
		} else {
			served[n][i]++
		}
	}
	w.run(windows * minute)
	all := head("window", "requests of the first client", "requests of the second", "refused")
	for _, n := range []int{1, 2, 3, 11} {
		all.row(n+1, served[n][0], served[n][1], refused[n][0]+refused[n][1])
	}
	return *all
}

// holdExample is how long refusals hold, and when a client comes back: it depends on chance.
func holdExample(t *testing.T) table {
	t.Helper()
	all := head("refusal", "hold", "the next request goes after")
	for _, row := range []struct {
		what    string
		before  func(d *driver)
		refusal pacer.Answer
	}{
		{"`Retry-After: 7`", nil, refuses(ok(), 7*second)},
		{"`Retry-After: 7`, r = 0, t = 30", nil, refuses(says(60, minute, 0, 30*second), 7*second)},
		{"r = 0, t = 30, no `Retry-After`", nil, refuses(says(60, minute, 0, 30*second), unknown)},
		{"`Retry-After: 30`, one request every 6 s", func(d *driver) { d.get(says(600, hour, 300, hour/2)) }, refuses(says(600, hour, 300, hour/2), 30*second)},
		{"a bare 429", nil, bare429()},
		{"the ninth bare 429 without a success", func(d *driver) { bareRounds(d, 8) }, bare429()},
	} {
		var waits [2]time.Duration
		var held time.Duration
		for i := range waits {
			d := drive(t, even)
			if row.before != nil {
				row.before(d)
			}
			d.u = 0.9999 * float64(i)
			d.get(row.refusal)
			held, waits[i] = d.held(), d.wait()
		}
		all.row(row.what, held, fmt.Sprintf("%.3g to %.3g s", waits[0].Seconds(), waits[1].Seconds()))
	}
	return *all
}

func bareRounds(d *driver, n int) {
	for range n {
		d.get(bare429())
		d.advance(d.held() + 2*second)
	}
}

func trialExample(t *testing.T) table {
	t.Helper()
	d := tried(t, 57, second/2, 31500*time.Millisecond)
	all := head("time since the trial began", "headway")
	for range 4 {
		all.row(fmt.Sprintf("%.0f s", (d.since()-minute).Seconds()), fmt.Sprintf("%.2f per second", d.state().Trial))
		d.goOn(d.since()+minute, ok)
	}
	return *all
}

// backExample is how much of a quota of 100 per minute eight workers use after ten minutes of a disturbance.
func backExample(t *testing.T) table {
	t.Helper()
	all := head("ten minutes of", "used in the minute before", "in the first minute after", "second", "fifth", "tenth")
	const begins, ends = 10 * minute, 20 * minute
	window := func() ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: perMinute(100), Aligned: true} }
	for _, row := range []struct {
		what    string
		disturb func(*pacer.Answer)
		tells   reporting
	}{
		{"bare 429s", func(a *pacer.Answer) { *a = bare429() }, draft10},
		{"429s with `Retry-After: 30`", func(a *pacer.Answer) { *a = refuses(ok(), 30*second) }, draft10},
		{"503s", func(a *pacer.Answer) { *a = overloaded(unknown) }, draft10},
		{"resets of a day, with r = 0", func(a *pacer.Answer) { a.Limits[0].Remaining, a.Limits[0].Reset = 0, day }, draft10},
		{"another client that takes nine of ten units", func(a *pacer.Answer) { a.Limits[0].Remaining = max(0, 10*a.Limits[0].Remaining-900) }, draft10},
		{"bare 429s, where only `Retry-After` is ever reported", func(a *pacer.Answer) { *a = bare429() }, retryAfter},
	} {
		var used [31]int
		s := server{limiter: window(), tells: row.tells}
		w := newWorld(1, 100*time.Millisecond, func(e *exchange) {
			if s.serve(e); e.client.now >= begins && e.client.now < ends {
				row.disturb(&e.answer)
			}
		})
		w.read = func(e *exchange) {
			if !e.answer.Refused {
				used[w.now/minute]++
			}
		}
		w.join(pacer.Config{}, 8, 0)
		w.run(30 * minute)
		all.row(row.what, used[9], used[20], used[21], used[24], used[29])
	}
	return *all
}
