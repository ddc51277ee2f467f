// Package gogithub is a recipe: GitHub's SDK (github.com/google/go-github) on headway.
package gogithub

import (
	"net/http"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/headway-go/headway/validate"
)

// New returns a client that waits for GitHub's limits instead of failing at them.
// transport is a *headway.Transport, or something on top of one; keep it for as long as
// the program runs, and share it between clients: their tokens tell them apart.
//
//	client, err := gogithub.New(os.Getenv("GITHUB_TOKEN"), &headway.Transport{})
//
// GitHub refuses with 403, and says that nothing remains, or in the body that a secondary
// limit was exceeded. headway knows both on github.com and sends such a request again; for
// a server of your own see Enterprise. The SDK resends nothing unless a context asks it to
// (SleepUntilPrimaryRateLimitResetWhenRateLimited); do not ask.
//
// How long a call may take is best said by its context. A timeout for all, such as
// github.WithTimeout, has the wait for a turn in it, which may be most of an hour once
// others have used up the 5000 requests. A call that cannot start in time fails at once:
// errors.As finds a *headway.LimitError.
func New(token string, transport http.RoundTripper, options ...github.ClientOptionsFunc) (*github.Client, error) {
	return github.NewClient(append([]github.ClientOptionsFunc{
		github.WithTransport(transport),
		github.WithAuthToken(token), // set above the transport, which so tells users apart

		// By default the SDK remembers what was left. Once that was nothing it fails every
		// call until the reset, and the transport, which would have waited, is not called.
		github.WithDisableRateLimitCheck(),
	}, options...)...)
}

// Enterprise returns a profile for a GitHub Enterprise Server, by which headway recognises
// refusals because of secondary limits there, as it does on github.com without one:
//
//	transport := &headway.Transport{Profiles: []validate.Profile{gogithub.Enterprise("github.example.com")}}
//	client, err := gogithub.New(token, transport, github.WithEnterpriseURLs(url, url))
func Enterprise(host string) validate.Profile {
	return validate.Profile{
		Host:    host,
		Proofs:  []validate.Proof{{Status: http.StatusForbidden, Text: "exceeded a secondary rate limit"}},
		MinWait: time.Minute, // Retry-After may be missing
	}
}
