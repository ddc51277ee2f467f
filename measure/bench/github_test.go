package bench_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/ratelimittest"
)

// gitHubJobs have servers like GitHub's; see onGitHub.
func gitHubJobs() []job {
	hourly := ratelimittest.Policy{Name: "core", Quota: 60, Window: time.Hour}
	untokened := onGitHub(on("GitHub's primary limit without a token, 60 per hour",
		&ratelimittest.FixedWindow{Policy: hourly, Aligned: true}, hourly)).
		batch(300, workers, figures.Figures{figures.Refused: 1, figures.Finished: 1.34, figures.Later: 2.5, figures.Evenness: 0.2}) // the server reports no window

	untold := ratelimittest.Policy{Name: "secondary", Quota: 80, Window: time.Minute}
	secondary := onGitHub(on("a secondary limit of GitHub, 80 per minute, which only refusals report", ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: primary(5000)}, &ratelimittest.FixedWindow{Policy: untold},
	), untold)).batch(800, workers, figures.Figures{figures.Refused: 40, figures.Finished: 1.4}) // one run in a hundred exceeds 1.3
	secondary.brief = true
	return []job{untokened, secondary}
}

// primary is GitHub's primary limit for requests with a token.
func primary(quota int64) ratelimittest.Policy {
	return ratelimittest.Policy{Name: "core", Quota: quota, Window: time.Hour}
}

// onGitHub changes a server into one like GitHub's. It reports only its first limit, in X-RateLimit fields, and refuses
// with a JSON document. GitHub also refuses with 403, and without Retry-After at the primary limit. Here all refusals are
// 429 with Retry-After, which all contenders understand.
func onGitHub(j job) job {
	j.contenders = append(contenders(), forGitHub())
	s := &j.scenario
	s.Request, _ = http.NewRequest(http.MethodGet, "https://api.github.com/repos/headway-go/headway", http.NoBody) //nolint:noctx // each copy gets a context, and the URL is valid
	s.Dialect = func(h http.Header, now time.Time, d ratelimittest.Decision) {
		d.Limits = d.Limits[:1]
		ratelimittest.XRateLimit(h, now, d)
		h.Set("X-RateLimit-Resource", "core")
	}
	s.Refuse = http.HandlerFunc(refuseAsGitHub)
	// go-github-ratelimit keeps a goroutine until the reset for each refusal at the primary
	// limit.
	s.Close = func() { time.Sleep(j.policy.Window) }
	return j
}

func refuseAsGitHub(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	message := "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
	if w.Header().Get("X-RateLimit-Remaining") == "0" {
		message = "API rate limit exceeded for 198.51.100.0."
	}
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = fmt.Fprintf(w, `{"message": %q}`, message) // the client may be gone
}
