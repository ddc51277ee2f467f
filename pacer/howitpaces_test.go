package pacer_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

var writePage = flag.Bool("page", false, "write the worked examples of TestHowItPaces into docs/how-it-paces.md")

const page = "../docs/how-it-paces.md"

// TestHowItPaces computes every worked example of docs/how-it-paces.md and compares its table with the page's.
// With -page it writes the tables into the page instead.
func TestHowItPaces(t *testing.T) {
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	text := string(content)
	for _, example := range []struct {
		name    string // marks the table's place in the page
		compute func(*testing.T) table
	}{
		{"start", startExample},
		{"account", accountExample},
		{"end", endExample},
		{"window", windowExample},
		{"bucket", bucketExample},
		{"counter", counterExample},
		{"log", logExample},
		{"belief", beliefExample},
		{"apart", apartExample},
		{"share", shareExample},
		{"join", joinExample},
		{"haste", hasteExample},
		{"gcra", gcraExample},
		{"gate", gateExample},
		{"comeback", comeBackExample},
		{"places", placesExample},
		{"trial", trialExample},
		{"period", periodExample},
		{"several", severalExample},
		{"routes", routesExample},
		{"units", unitsExample},
		{"fleet", fleetExample},
	} {
		t.Run(example.name, func(t *testing.T) {
			begin, end := "<!-- "+example.name+" -->\n", "<!-- /"+example.name+" -->\n"
			before, rest, begins := strings.Cut(text, begin)
			shown, after, ends := strings.Cut(rest, end)
			require.True(t, begins && ends, "the page has no place for this example")
			computed := "\n" + example.compute(t).String()
			if *writePage {
				text = before + begin + computed + end + after
				return
			}
			require.Equal(t, computed, shown, "go test ./pacer -run TestHowItPaces -page writes it")
		})
	}
	if *writePage {
		require.NoError(t, os.WriteFile(page, []byte(text), 0o644)) //nolint:gosec // for all to read
	}
}

// Every file of the package has a row in the page's last table, and every row a file.
func TestHowItPacesNamesEveryFile(t *testing.T) {
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	_, rows, found := strings.Cut(string(content), "\n## Where it is in the code\n")
	require.True(t, found)
	var named, files []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+\\.go)` \\|").FindAllStringSubmatch(rows, -1) {
		named = append(named, row[1])
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	require.ElementsMatch(t, files, named)
}

// A table is one in Markdown: a head and rows.
type table [][]string

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

func seconds(d time.Duration) string { return fmt.Sprintf("%.3g s", d.Seconds()) }

// interval is the only limit's, as the page writes it.
func (d *driver) interval() string { return fmt.Sprintf("one every %.3g s", 1/d.limit().Rate) }

// rate is the only limit's, as the page writes it.
func (d *driver) rate() string { return fmt.Sprintf("%.2g per second", d.limit().Rate) }

// startExample is how 200 requests at once go to a server that is not known yet. A response takes 0.1 s.
func startExample(t *testing.T) table {
	t.Helper()
	const trip = 100 * time.Millisecond
	reports := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 100, Window: minute}}
	silent := func(pacer.Instant) pacer.Answer { return ok() }
	var sent [2][]time.Duration // when each request goes
	for i, serve := range []func(pacer.Instant) pacer.Answer{of(reports), silent} {
		d := drive(t, pacer.Config{Jitter: -1})
		clients := crowd{clients: []*driver{d}, workers: 200, latency: trip}
		clients.serve = func(now pacer.Instant) pacer.Answer {
			sent[i] = append(sent[i], now.Sub(start)-trip/2)
			return serve(now)
		}
		clients.run(3*minute, 1)
	}
	all := table{{"time", "sent so far, if the server reports q = 100 and w = 60", "sent so far, if the server reports no limit"}}
	for _, at := range []time.Duration{0, trip * 3 / 2, trip * 5 / 2, trip * 9 / 2, second, 10 * second, minute, 2 * minute} {
		row := []string{seconds(at)}
		for i := range sent {
			n := 0
			for n < len(sent[i]) && sent[i][n] <= at {
				n++
			}
			row = append(row, fmt.Sprint(min(n, 200)))
		}
		all = append(all, row)
	}
	return all
}

func accountExample(t *testing.T) table {
	t.Helper()
	all := table{{"event", "remaining quota"}}
	d := drive(t, even)
	ask := d.send(60)
	d.answer(ask, says(100, minute, 40, minute))
	all = append(all, []string{"the response to the 60th request reports r = 40", fmt.Sprint(d.limit().Remaining)})
	later, last := d.send(3), d.send(2)
	all = append(all, []string{"5 more requests go", fmt.Sprint(d.limit().Remaining)})
	d.answer(last, says(100, minute, 33, minute))
	all = append(all, []string{"the response to the 65th reports r = 33: two more units are gone", fmt.Sprint(d.limit().Remaining)})
	d.answer(later, says(100, minute, 37, minute))
	return append(all, []string{"the response to the 63rd arrives late with r = 37, and changes nothing", fmt.Sprint(d.limit().Remaining)})
}

func endExample(t *testing.T) table {
	t.Helper()
	all := table{{"sent at", "received at", "t", "this response alone", "all responses so far"}}
	d := drive(t, even)
	lo := time.Duration(0)
	for _, row := range []struct{ sent, received, reset time.Duration }{
		{10 * second, 10200 * time.Millisecond, 5 * second},
		{11500 * time.Millisecond, 11600 * time.Millisecond, 3 * second},
	} {
		d.now = start.Add(row.sent)
		ticket := d.send(1)
		d.now = start.Add(row.received)
		d.answer(ticket, says(60, minute, 30, row.reset))
		first := row.sent + row.reset - second
		lo = max(lo, first)
		all = append(all, []string{
			seconds(row.sent), seconds(row.received), seconds(row.reset),
			fmt.Sprintf("%v to %v s", first.Seconds(), (row.received + row.reset).Seconds()),
			fmt.Sprintf("%v to %v s", lo.Seconds(), d.limit().EndsBy.Sub(start).Seconds()),
		})
	}
	return all
}

func windowExample(t *testing.T) table {
	t.Helper()
	all := table{{"r", "t", "an even spread", "headway", "why"}}
	for _, row := range []struct {
		left  int64
		reset time.Duration
		why   string
	}{
		{50, 30 * second, "exactly an even share is left: the nominal rate q/w"},
		{40, 30 * second, "41 units in 29 s: the 41st may use the next window"},
		{10, 30 * second, "11 units in 29 s: the 11th may use the next window"},
		{75, 30 * second, "75 units in 30 s: faster than q/w, as more than an even share is left"},
		{100, 10 * second, "twice the nominal rate is the most"},
		{5000, 30 * second, "twice the nominal rate is the most, although r is wrong"},
		{0, 30 * second, "nothing is left: wait for the end"},
	} {
		d := drive(t, even)
		d.get(says(100, minute, row.left, row.reset))
		planned, evenly := d.interval(), "–"
		if row.left > 0 {
			evenly = fmt.Sprintf("one every %.3g s", row.reset.Seconds()/float64(row.left))
		} else {
			planned = "the next in " + seconds(d.wait())
		}
		all = append(all, []string{fmt.Sprint(row.left), seconds(row.reset), evenly, planned, row.why})
	}
	return all
}

func bucketExample(t *testing.T) table {
	t.Helper()
	const window = 50 * second
	all := table{{"units in the bucket", "headway", "why"}}
	d := drive(t, even)
	d.get(says(100, window, 50, 25*second))
	d.advance(10 * second)
	d.get(says(100, window, 69, 15*second)) // 20 came back long before the end: a bucket
	require.True(t, d.limit().Refills)
	for _, row := range []struct {
		left int64
		why  string
	}{
		{100, "the stock doubles the refill rate"},
		{50, "half a stock adds half the refill rate"},
		{10, "a tenth of a stock adds a tenth"},
		{0, "one every 0.75 s: 0.5 s for the refill, and 0.25 s for a reserve of half a unit"},
	} {
		d.advance(hour) // it is full
		d.answer(d.send(100-row.left), says(100, window, row.left, time.Duration(100-row.left)*second/2))
		all = append(all, []string{fmt.Sprint(row.left), d.rate(), row.why})
	}
	return all
}

func counterExample(t *testing.T) table {
	t.Helper()
	counter := &ratelimittest.SlidingCounter{Policy: ratelimittest.Policy{Quota: 100, Window: minute}}
	d := inBursts(t, counter, 10, 20*second)
	d.advance(2 * minute)
	d.now = start.Add(d.since().Truncate(minute) + second)
	for range 90 {
		d.get(of(counter)(d.now))
	}
	d.advance(minute + 19*second)
	for range 10 {
		d.get(of(counter)(d.now))
	}
	return table{
		{"used in the window before", "time in this window", "still counted of it", "used in this window", "left", "headway"},
		{"90", "20 s", "60", "10", fmt.Sprint(d.limit().Remaining), d.rate() + ": 1.5 come back, and 30 are spread over 60 s"},
	}
}

func logExample(t *testing.T) table {
	t.Helper()
	log := &ratelimittest.SlidingLog{Policy: ratelimittest.Policy{Quota: 60, Window: minute}}
	d := inBursts(t, log, 20, 25*second)
	d.advance(2 * minute)
	for range 30 {
		d.get(of(log)(d.now))
	}
	all := table{{"time", "headway", "why"}}
	all = append(all, []string{"0 s: 30 of 60 units are used at once", d.interval(), "the other 30 have to last for 60 s"})
	d.advance(30 * second)
	all = append(all, []string{"30 s: no request since", d.interval(), "the other 30 have to last for 30 s"})
	d.advance(33 * second)
	return append(all, []string{"63 s", d.interval(), "the first 30 have come back"})
}

func beliefExample(t *testing.T) table {
	t.Helper()
	all := table{{"10 requests in the next 6 s", "t after that", "headway assumes"}}
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
			kind += ", and others that use it"
		}
		all = append(all, []string{row.what, fmt.Sprintf("%d s", row.end), kind})
	}
	return all
}

// apartExample is which r four servers report of the same requests.
func apartExample(t *testing.T) table {
	t.Helper()
	all := table{{"server", "r after 30 requests at 0 s", "r after 10 more at 40 s", "r after 1 more at 70 s", "r after 1 more at 101 s"}}
	policy := ratelimittest.Policy{Quota: 60, Window: minute}
	for _, server := range []struct {
		name    string
		limiter ratelimittest.Limiter
	}{
		{"fixed window", &ratelimittest.FixedWindow{Policy: policy}},
		{"token bucket", &ratelimittest.TokenBucket{Policy: policy}},
		{"sliding counter", &ratelimittest.SlidingCounter{Policy: policy}},
		{"sliding log", &ratelimittest.SlidingLog{Policy: policy}},
	} {
		row := []string{server.name}
		for _, burst := range []struct {
			at time.Duration
			n  int
		}{{0, 30}, {40 * second, 10}, {70 * second, 1}, {101 * second, 1}} {
			var last pacer.Answer
			for range burst.n {
				last = of(server.limiter)(start.Add(burst.at))
			}
			row = append(row, fmt.Sprint(last.Limits[0].Remaining))
		}
		all = append(all, row)
	}
	return all
}

// joinExample is how a client comes to its part beside one that was there before.
func joinExample(t *testing.T) table {
	t.Helper()
	all := table{{"window", "requests of the first client", "requests of the second", "refused"}}
	window := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 100, Window: minute}}
	first, second := drive(t, pacer.Config{}), drive(t, pacer.Config{})
	second.idle = 2*minute + 15*time.Second
	const windows = 8
	var served, refused [windows][2]int
	c := crowd{clients: []*driver{first, second}, workers: 8, latency: 100 * time.Millisecond, serve: of(window)}
	c.on = func(i int, now pacer.Instant, isRefused bool) {
		n := min(int(now.Sub(start)/minute), windows-1)
		if isRefused {
			refused[n][i]++
		} else {
			served[n][i]++
		}
	}
	c.run(windows*minute, 1)
	for _, n := range []int{1, 2, 3, 5, 7} {
		all = append(all, []string{fmt.Sprint(n + 1), fmt.Sprint(served[n][0]), fmt.Sprint(served[n][1]), fmt.Sprint(refused[n][0] + refused[n][1])})
	}
	return all
}

func shareExample(t *testing.T) table {
	t.Helper()
	all := table{{"this client sent", "r fell by", "share", "its pace in a new window"}}
	for _, row := range []struct{ own, others int64 }{{80, 0}, {40, 1}, {20, 3}, {5, 19}} {
		d := drive(t, even)
		d.beside(row.others, 100, 100-row.own*(1+row.others))
		fell := row.own * (1 + row.others)
		share := d.limit().Share
		d.now = d.limit().EndsBy + 1
		all = append(all, []string{fmt.Sprint(row.own), fmt.Sprint(fell), fmt.Sprintf("%.2f", share), d.interval()})
	}
	return all
}

func hasteExample(t *testing.T) table {
	t.Helper()
	all := table{{"window", "headway's pace at the beginning of the window, divided by its share"}}
	d := drive(t, even)
	for n := range 4 {
		begun := d.now
		d.get(says(60, minute, 50, minute))
		l := d.limit()
		if n > 0 {
			all = append(all, []string{fmt.Sprint(n + 1), fmt.Sprintf("%.2g per second", l.Rate/l.Share)})
		}
		d.advance(3 * second)
		d.get(says(60, minute, 25, 57*second))
		d.advance(3 * second)
		d.get(says(60, minute, 0, 54*second))
		d.now = begun.Add(minute + 1)
	}
	return all
}

func gcraExample(t *testing.T) table {
	t.Helper()
	all := table{{"client", "requests at once", "then"}}
	for _, row := range []struct {
		what  string
		quota int64
	}{
		{"idle for minutes, q = 1000", 1000},
		{"idle for minutes, q = 100", 100},
		{"idle for minutes, q = 20", 20},
	} {
		d := drive(t, pacer.Config{Jitter: -1})
		d.get(says(row.quota, minute, row.quota-1, minute))
		d.get(says(row.quota, minute, row.quota-2, minute))
		d.advance(10*minute + 1)
		n := d.burst()
		all = append(all, []string{row.what, fmt.Sprint(n), "one every " + fmt.Sprintf("%.2g s", 1/d.limit().Rate)})
	}
	d := drive(t, pacer.Config{Jitter: -1})
	d.get(says(100, minute, 99, minute))
	d.wantWait(0)
	probing := d.send(1)
	all = append(all, []string{"new, the first response reports r = 99", "1", "the next in " + seconds(d.wait())})
	d.answer(probing, says(100, minute, 98, minute))
	return append(all, []string{"new, the second response reports r = 98", fmt.Sprint(d.burst()), d.interval()})
}

func gateExample(t *testing.T) table {
	t.Helper()
	all := table{{"refusal", "hold"}}
	for _, row := range []struct {
		what   string
		answer pacer.Answer
	}{
		{"`Retry-After: 7`", refuses(ok(), 7*second)},
		{"`Retry-After: 7`, r = 0, t = 30", refuses(says(60, minute, 0, 30*second), 7*second)},
		{"r = 0, t = 30, no `Retry-After`", refuses(says(60, minute, 0, 30*second), unknown)},
		{"a bare 429", bare429()},
	} {
		d := drive(t, even)
		d.get(row.answer)
		all = append(all, []string{row.what, seconds(d.held())})
	}
	d := drive(t, even)
	d.get(bare429())
	for round := 2; round <= 9; round++ {
		d.advance(d.held() + 2*second)
		d.get(bare429())
		if round == 2 || round == 9 {
			all = append(all, []string{fmt.Sprintf("round %d of bare 429s without a success", round), seconds(d.held())})
		}
	}
	return all
}

// comeBackExample is who comes back when after a hold.
func comeBackExample(t *testing.T) table {
	t.Helper()
	all := table{{"refusal", "random number", "the next request goes after"}}
	for _, u := range []float64{0, 0.999} {
		d := drive(t, even)
		d.get(says(600, hour, 300, hour/2))
		d.u = u
		d.get(refuses(says(600, hour, 300, hour/2), 30*second))
		all = append(all, []string{"`Retry-After: 30`, pace one every 6 s", fmt.Sprint(u), seconds(d.wait())})
	}
	d := drive(t, even)
	d.get(refuses(ok(), 5*second))
	d.advance(5*second + 100*time.Millisecond)
	d.get(refuses(ok(), 5*second))
	return append(all, []string{"`Retry-After: 5` for the second time, 0.1 s after the end of the first hold", "any", "at least " + seconds(d.held())})
}

func placesExample(t *testing.T) table {
	t.Helper()
	all := table{{"event", "places"}}
	d := drive(t, even)
	inFlight := d.atOnce()
	all = append(all, []string{"no response yet", fmt.Sprint(len(inFlight))})
	for _, what := range []string{"the first response reports no limit", "three more responses", "nine more responses"} {
		d.answerAll(inFlight, ok())
		inFlight = d.atOnce()
		all = append(all, []string{what, fmt.Sprint(len(inFlight))})
	}
	for _, row := range []struct {
		what    string
		refused int
	}{{"9 requests in flight, two of them refused with a 503", 2}, {"9 requests in flight, all refused with a 503", 9}} {
		d = drive(t, even)
		for range 2 {
			d.answerAll(d.atOnce(), ok())
		}
		inFlight = d.atOnce()
		d.answerAll(inFlight[9-row.refused:], overloaded(second))
		all = append(all, []string{row.what, fmt.Sprint(d.state().Places)})
		d.answerAll(inFlight[:9-row.refused], ok())
	}
	n := 0
	for before := d.state().Places; d.state().Places == before; n++ {
		d.advance(minute)
		d.get(ok())
	}
	return append(all, []string{fmt.Sprintf("%d successes after that", n), fmt.Sprint(d.state().Places)})
}

func trialExample(t *testing.T) table {
	t.Helper()
	d := tried(t, 57, second/2, 31500*time.Millisecond)
	all, successes := table{{"time in the new trial", "successes in it", "headway"}}, 1
	for after := range 4 {
		all = append(all, []string{fmt.Sprintf("%d s", 60*after), fmt.Sprint(successes), fmt.Sprintf("%.2f per second", d.state().Trial)})
		successes += d.goOn(d.since()+minute, ok)
	}
	return all
}

func periodExample(t *testing.T) table {
	t.Helper()
	all := table{{"time", "r", "assumed window", "headway"}}
	d := drive(t, even)
	for _, row := range []struct {
		at   time.Duration
		left int64
	}{{second / 10, 7}, {11 * second / 10, 9}, {12 * second / 10, 8}, {21 * second / 10, 9}} {
		d.now = start.Add(row.at)
		d.get(says(10, unknown, row.left, unknown))
		all = append(all, []string{
			seconds(row.at), fmt.Sprint(row.left), seconds(d.limit().Window), fmt.Sprintf("one every %.3g s", 1/d.state().Pace),
		})
	}
	return all
}

func severalExample(t *testing.T) table {
	t.Helper()
	all := table{{"`minute`: q=30, w=60", "`hour`: q=1000, w=3600", "headway", "set by"}}
	for _, row := range []struct {
		minuteLeft, minuteReset, hourLeft, hourReset int64
	}{{29, 60, 999, 3600}, {15, 30, 999, 600}, {0, 20, 999, 600}} {
		d := drive(t, even)
		d.get(several(
			named("minute", 30, minute, row.minuteLeft, time.Duration(row.minuteReset)*second),
			named("hour", 1000, hour, row.hourLeft, time.Duration(row.hourReset)*second),
		))
		if row.minuteLeft > 0 {
			d.send(1)
		}
		all = append(all, []string{
			fmt.Sprintf("r = %d, t = %d", row.minuteLeft, row.minuteReset), fmt.Sprintf("r = %d, t = %d", row.hourLeft, row.hourReset),
			"the next in " + seconds(d.wait()), "`" + d.plan().Policy + "`",
		})
	}
	return all
}

func routesExample(t *testing.T) table {
	t.Helper()
	d := drive(t, even)
	d.get(coreSays(599))
	d.advance(second)
	d.getVia(search, several(named("search", 10, hour, 0, hour/2)))
	return table{
		{"route", "its responses report", "the next request"},
		{"`/items`", "`core`: q=600, w=60, r=599", "in " + seconds(d.waitVia(core))},
		{"`/search`", "`search`: q=10, w=3600, r=0, t=1800", "in " + fmt.Sprintf("%.0f s", d.waitVia(search).Seconds())},
	}
}

func unitsExample(t *testing.T) table {
	t.Helper()
	d := drive(t, even)
	d.getAs(using(0), tokens(60_000))
	left := int64(60_000)
	for _, estimate := range []int64{100, 200, 300} {
		left -= estimate * 3 / 2
		d.getAs(using(estimate), tokens(left))
	}
	_, said := d.charge(using(100))
	_, unsaid := d.charge(using(-1))
	return table{
		{"the next request", "tokens that headway reserves"},
		{"an estimate of 100", fmt.Sprint(said)},
		{"no estimate", fmt.Sprint(unsaid)},
	}
}

func fleetExample(t *testing.T) table {
	t.Helper()
	d := drive(t, even)
	d.get(says(100, minute, 99, minute))
	d.answer(d.send(19), says(100, minute, 80, minute))
	d.allot(pacer.Parts{Until: pacer.Never, Members: 3, Limits: []pacer.Part{d.own(50, 50, 0.5)}})
	all := table{{"part", "sent", "time to go", "headway"}}
	for _, left := range []time.Duration{30 * second, 20 * second} {
		d.now = start.Add(minute - left)
		all = append(all, []string{"50 of 100", "20", seconds(left), d.rate()})
	}
	return all
}
