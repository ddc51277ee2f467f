package pacing

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// silentRows returns the rows of servers that do not report the limit that counts, and their bounds. headway has to find
// the rate, or the number of concurrent requests, by refusals.
func silentRows() []row {
	var (
		all       = []server{aligned, opened, linear}
		refusing  = []dialect{retryAfterOnly}
		mute      = []dialect{bare429}
		perMinute = quotaRate{60, time.Minute}
		short     = quotaRate{100, 10 * time.Second}
		perSecond = quotaRate{10, time.Second}
	)
	rows := grid{}
	lone := batch("lone batch", 0, 10, 16)
	rows.add(lone, bounds{refused: 60, used: 0.95}, all, refusing, perMinute)
	rows.add(lone, bounds{refused: 60}, all, refusing, short) // a whole second is a tenth of the window
	silently := bounds{refused: 150, used: 0.87}              // the aim is 0.9, which most runs meet
	rows.add(lone, silently, all, mute, perMinute)
	rows.add(lone, silently, []server{aligned, linear}, mute, short)
	rows.add(lone, silently.With(bounds{used: 0.7}), []server{opened}, mute, short) // mostly 0.78 to 0.86
	rows.add(lone, bounds{refused: 150, finished: 2.5, failed: 0}, []server{aligned}, mute, perSecond)
	rows.add(lone, bounds{refused: 160, used: 0.85, finished: 1.25, failed: 0}, []server{linear, bucket}, mute, perSecond)
	long := batch("1000 requests", 1000, 0, 16)
	rows.add(long, bounds{refused: 25, used: 0.65, finished: 1.6, failed: 0}, []server{aligned}, mute, perSecond)
	rows.add(long, bounds{refused: 30, used: 0.9, finished: 1.12, failed: 0}, []server{linear, bucket}, mute, perSecond)

	// Most refusals come before each client has found its rate.
	eight, many := fleet("8 clients", 8, 20), fleet("32 clients", 32, 20)
	many.runs = 2
	rows.add(eight, bounds{refused: 150, used: 0.94, jain: 0.85}, []server{aligned}, refusing, perMinute)
	rows.add(eight, bounds{refused: 250, used: 0.94, jain: 0.85}, []server{aligned}, mute, perMinute)
	rows.add(many, bounds{refused: 350, used: 0.94, jain: 0.55}, []server{aligned}, refusing, perMinute)
	rows.add(many, bounds{refused: 800, used: 0.94, jain: 0.7}, []server{aligned}, mute, perMinute)
	rows.addWide(eight, bounds{refused: 260, used: 0.85}, []server{opened, linear}, refusing, perMinute)
	rows.addWide(eight, bounds{refused: 260, used: 0.85}, []server{opened}, mute, perMinute)
	rows.addWide(eight, bounds{refused: 300, used: 0.85}, []server{linear}, mute, perMinute) // seven seeds have 123 to 206

	// A quota of far more than a thousand per window is spread over the window.
	fast := batch("64 workers for 4 windows", 30_000, 0, 64)
	fast.lasts, fast.settled, fast.runs = 4, 2, 1
	rows.add(fast, bounds{refused: 9, busiest: 2}, []server{aligned}, []dialect{retryAfterOnly.even(), bare429.even()}, quotaRate{6000, time.Minute})

	// Servers without a burst, as nginx's limit_req, refuse whoever is a little too early, and clients of a fleet meet there
	// by chance. Neither makes a client slow for long.
	once, four := batch("600 requests, no burst", 600, 0, 8), batch("4 clients, no burst", 150, 0, 8)
	four.clients = 4
	once.latency, four.latency, once.runs, four.runs = 2*time.Millisecond, 2*time.Millisecond, 6, 6
	noBurst := quotaRate{1, time.Second / 20}
	rows.add(once, bounds{refused: 40, finished: 1.5}, []server{linear}, mute, noBurst) // 1.28; 2.3 when backoffs did not depend on the pace
	rows.add(four, bounds{refused: 250, finished: 18}, []server{linear}, mute, noBurst) // 10 or so, as the last of four is mostly alone; 33 when few successes made a rate

	rows = append(rows, hiddenRows()...)
	rows = append(rows, unlimitedRows()...)
	rows = append(rows, placesRows()...)
	for i, r := range rows {
		rows[i].isLengthy = r.load.clients > 8 || r.rate.quota > 1000 || r.dialect.name == bare429.name && r.times() == 16
	}
	return rows
}

// hiddenRows has limits of 60 per minute behind a far higher one, which is reported. At most one request in ten is refused,
// and nearly all are served.
func hiddenRows() (rows grid) {
	hidden := batch("600 requests", 600, 0, 16)
	hidden.latency, hidden.runs = 20*time.Millisecond, 1
	for _, told := range []struct {
		name   string
		fields []string
	}{
		{"1e6 per s", []string{`RateLimit: "a";r=1000000;t=1`, `RateLimit-Policy: "a";q=1000000;w=1`}},
		{"1000 per s", []string{`RateLimit: "a";r=1000;t=1`, `RateLimit-Policy: "a";q=1000;w=1`}},
		{"100 per s", []string{`RateLimit: "a";r=100;t=1`, `RateLimit-Policy: "a";q=100;w=1`}},
		{"10000 per min", []string{`RateLimit: "a";r=10000;t=60`, `RateLimit-Policy: "a";q=10000;w=60`}},
		{"10000, no window", []string{"X-RateLimit-Limit: 10000", "X-RateLimit-Remaining: 10000", "X-RateLimit-Reset: 60"}},
	} {
		rows.add(hidden, bounds{refused: 100, failed: 50}, []server{linear}, []dialect{{name: told.name, write: ratelimittest.Fields(told.fields...)}}, quotaRate{60, time.Minute})
	}
	return rows
}

// unlimitedRows has servers without a limit. A crowd that starts at once waits for a few round trips, and then not at all.
// Requests that are refused at random do not slow the client down for good.
func unlimitedRows() (rows grid) {
	const crowd = 200
	for _, latency := range []time.Duration{
		time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond, time.Second, 2 * time.Second,
	} {
		l := batch(fmt.Sprintf("200 at once, latency %v", latency), 10*crowd, 0, crowd)
		l.latency, l.runs = latency, 1
		rows.add(l, bounds{refused: 0, failed: 0, finished: 1.5, p99: 5 * latency.Seconds()}, []server{unlimited}, []dialect{bare429}, quotaRate{1, time.Second})
	}
	flaky := batch("2500 requests", 2500, 0, 16)
	flaky.lasts, flaky.runs = 30, 3
	for _, row := range []struct {
		name   string
		fault  ratelimittest.Fault
		failed float64 // as they are not sent in half an hour, on average
	}{
		{"429 with Retry-After", ratelimittest.Fault{Status: http.StatusTooManyRequests, RetryAfter: time.Second}, 840},
		{"bare 429", ratelimittest.Fault{Status: http.StatusTooManyRequests}, 760},
		{"503 with Retry-After", ratelimittest.Fault{Status: http.StatusServiceUnavailable, RetryAfter: time.Second}, 4},
		{"plain 503", ratelimittest.Fault{Status: http.StatusServiceUnavailable}, 120}, // a tenth, as plain 503s are not sent again
	} {
		s := unlimited
		s.name, s.flaky = "a tenth is refused: "+row.name, &row.fault
		rows.add(flaky, bounds{failed: row.failed}, []server{s}, []dialect{bare429}, quotaRate{1, time.Minute})
	}
	return rows
}

// placesRows has limits on concurrent requests. headway learns them from few refusals, even if the server refuses with 429,
// which usually means a rate limit.
func placesRows() (rows grid) {
	const places = 8
	add := func(l load, s server, latency time.Duration, d dialect, limits bounds) {
		l.latency, l.runs = latency, 1
		s.optimum = func(requests int, latency time.Duration) time.Duration {
			return time.Duration(requests/places) * (s.service + latency)
		}
		rows.add(l, limits.With(bounds{failed: 0}), []server{s}, []dialect{d}, quotaRate{places, time.Second})
	}
	for _, pause := range []time.Duration{0, time.Second} {
		s := concurrent("8 places, 429", pause)
		s.service = 50 * time.Millisecond
		for _, workers := range []int{9, 12, 32, 200} {
			// Mostly 1.3 to 3: a pace has to be found beside the places.
			add(batch(fmt.Sprintf("1000 requests, %d workers", workers), 1000, 0, workers), s, 10*time.Millisecond,
				dialect{name: fmt.Sprintf("Retry-After %v", pause), write: ratelimittest.Silent}, bounds{refused: 10, finished: 6})
		}
	}
	for _, latency := range []time.Duration{time.Nanosecond, 20 * time.Millisecond, 200 * time.Millisecond} {
		for _, service := range []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second, 5 * time.Second} {
			s := concurrent(fmt.Sprintf("8 places for %v, 503", service), time.Second)
			s.service, s.refusesWith = service, http.StatusServiceUnavailable
			add(batch(fmt.Sprintf("200 at once, latency %v", latency), 200, 0, 200), s, latency,
				dialect{name: "Retry-After 1s", write: ratelimittest.Silent}, bounds{refused: 500, finished: 5})
		}
	}
	return rows
}
