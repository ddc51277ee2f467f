// Package gogithub is a recipe for using headway with GitHub's SDK (github.com/google/go-github).
package gogithub

import (
	"net/http"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/headway-go/headway/validate"
)

// New returns a client that waits for GitHub's limits instead of failing. transport is a *headway.Transport,
// or a layer on top of one. Keep it for as long as the program runs, and share it between clients: headway
// paces each token separately.
//
//	client, err := gogithub.New(os.Getenv("GITHUB_TOKEN"), &headway.Transport{})
//
// GitHub refuses with 403, with a remaining quota of 0, or with a body about a secondary limit. headway
// recognises both on github.com, and sends such a request again. For a server of your own see Enterprise. The
// SDK itself does not retry, unless SleepUntilPrimaryRateLimitResetWhenRateLimited is in a call's context. Do
// not use that.
//
// To bound a call, set a deadline on its context. A timeout for all calls, such as github.WithTimeout,
// includes the wait in headway's queue. That may be most of an hour if other clients have used up the 5000
// requests. A call that cannot be sent before its deadline fails at once: errors.As finds a
// *headway.LimitError.
func New(token string, transport http.RoundTripper, options ...github.ClientOptionsFunc) (*github.Client, error) {
	return github.NewClient(append([]github.ClientOptionsFunc{
		github.WithTransport(transport),
		github.WithAuthToken(token), // set above headway, so that headway sees the token

		// By default the SDK remembers the remaining quota. Once it is 0, the SDK fails every call until the
		// reset, without calling headway, which would have waited.
		github.WithDisableRateLimitCheck(),
	}, options...)...)
}

// Enterprise returns a profile for a GitHub Enterprise Server. With it headway recognises refusals because of
// secondary limits there. For github.com no profile is needed.
//
//	transport := &headway.Transport{Profiles: []validate.Profile{gogithub.Enterprise("github.example.com")}}
//	client, err := gogithub.New(token, transport, github.WithEnterpriseURLs(url, url))
func Enterprise(host string) validate.Profile {
	return validate.Profile{
		Host:    host,
		Signs:   []validate.Sign{{Statuses: []int{http.StatusForbidden}, Text: "exceeded a secondary rate limit"}},
		MinWait: time.Minute, // GitHub may leave Retry-After out
	}
}
