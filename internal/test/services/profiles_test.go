package services

import (
	"cmp"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// A profile changes how the responses of its service are handled, and no others.

// A caller's profile applies to its host as the built-in ones do to theirs, and replaces them completely.
func TestProfilesOfTheCaller(t *testing.T) {
	const url = "https://api.internal.example:8443/v1/jobs"
	const binance = "https://api.binance.com/api/v3/order"
	profiles := []validate.Profile{
		{Host: "api.github.com", MinWait: 5 * time.Second, Signs: []validate.Sign{{Statuses: []int{403}, Text: "secondary rate limit"}}},
		{Host: "anthropic.com"},
		{Host: "binance.com", Path: "/sapi/"},
		{Host: "unrelated.example", Statuses: []int{409}},
		{
			Host: "internal.example", Path: "/v1/", ResetUnit: time.Millisecond, Statuses: []int{420}, MinWait: 20 * time.Second,
			Signs: []validate.Sign{{Statuses: []int{409}, Text: "quota"}, {Statuses: []int{409}, Text: "throttled"}}, PolicyField: "X-Which",
		},
	}
	for _, row := range []struct {
		name   string
		url    string // "": url
		status int
		header http.Header
		body   string
		held   time.Duration // 0: not a refusal
	}{
		{name: "a status", status: 420, held: 20 * time.Second},
		{name: "a text", status: 409, body: "the quota is used up", held: 20 * time.Second},
		{name: "milliseconds", status: 429, header: kit.Fields("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "7000"), held: 7 * time.Second},
		{name: "the name of a policy and a text", status: 409, header: kit.Fields("X-Which", "jobs"), body: "throttled", held: 20 * time.Second},
		{name: "instead of a built-in profile", url: githubURL, status: 403, body: secondary, held: 5 * time.Second},
		{name: "instead of a built-in profile, of another path", url: binance, status: 418, header: kit.Fields("Retry-After", "120"), held: 2 * time.Minute},

		{name: "nothing, instead of a built-in profile", url: "https://api.anthropic.com/v1/messages", status: 529},
		{name: "a conflict", status: 409, body: "there is one of that name"},
		{name: "another path", url: "https://api.internal.example/v2/jobs", status: 420},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := refusingOnce(row.status, row.header, row.body)
				transport := kit.Seeded(t, &headway.Transport{Base: server, Profiles: profiles})
				x := &sending{method: http.MethodPost, url: cmp.Or(row.url, url), body: "payload"}
				require.NoError(t, x.through(t.Context(), transport))
				if row.held == 0 {
					require.Equal(t, row.status, x.status)
					requireText(t, row.body, x.text)
					require.Zero(t, x.took)
					require.Len(t, server.Calls(), 1)
					return
				}
				require.Equal(t, http.StatusOK, x.status)
				require.GreaterOrEqual(t, x.took, row.held)
				require.LessOrEqual(t, x.took, row.held+time.Second)
				require.Len(t, server.Calls(), 2)
				for _, limit := range transport.State()[0].Limits {
					require.Equal(t, row.header.Get("X-Which"), limit.Policy)
				}
			})
		})
	}
}
