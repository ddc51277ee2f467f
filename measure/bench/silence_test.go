package bench_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/ratelimittest"
)

// silentJobs have servers that report nothing, not even when to come back. headway is measured beside the AWS SDK, which
// is made for such servers. TestPacing has many more of them, with headway alone.
func silentJobs() []job {
	const fleet, each = 8, 75
	silent := onWindows()
	silent.server += ", which reports nothing"
	silent.runs = 3
	silent.contenders = []contender{us(), {name: "AWS adaptive", client: func(base http.RoundTripper, _ facts) http.RoundTripper {
		return newSilentAdaptive(base)
	}}}
	silent.scenario.Dialect, silent.scenario.RetryAfter = ratelimittest.Silent, ratelimittest.Silent

	alone := silent.batch(600, workers, figures.Figures{figures.Refused: 70, figures.Used: 0.82, figures.Finished: 1.35})
	alone.runs = 5
	lasting := silent.fleet(10, figures.Figures{figures.Refused: 350, figures.Used: 0.87})
	equal := silent.batch(each, workers, figures.Figures{figures.Refused: 350, figures.Finished: lastOne})
	equal.load = fmt.Sprintf("%d clients, %d requests each", fleet, each)
	equal.scenario.Clients = fleet
	for _, j := range []*job{&alone, &lasting, &equal} {
		j.figures = []string{figures.Refused, figures.Used, figures.Finished}
	}
	lasting.figures = lasting.figures[:2]

	unlimited := silent
	unlimited.policy = ratelimittest.Policy{Quota: 1, Window: time.Second} // of no use but for the times at which runs begin
	unlimited.scenario.Limiter = nil
	unlimited = unlimited.batch(200, 200, figures.Figures{figures.Refused: 0, figures.Added: 0.3})
	unlimited.server, unlimited.load = "a server without a limit, which reports nothing", "200 requests at once"
	unlimited.figures = []string{figures.Refused, figures.Added}
	unlimited.brief = true
	return []job{alone, lasting, equal, unlimited}
}

// lastOne bounds the ÷ optimum of a fleet with a job in equal parts. The last client is the one that found the slowest pace
// while the others were there, by chance.
const lastOne = 12
