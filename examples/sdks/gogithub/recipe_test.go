package gogithub_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-github/v88/github"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/gogithub"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

func get(ctx context.Context, client *github.Client) error {
	_, _, err := client.Repositories.Get(ctx, "golang", "go")
	return err
}

// For each kind of GitHub's refusals, only headway sends the request again, with its body.
func TestSingleRetryOwner(t *testing.T) {
	const now = 946684800 // when a synctest bubble begins
	for _, row := range []struct {
		name   string
		body   string
		fields []string
		held   time.Duration
	}{
		{"primary limit", primary, fields(0, now+60), time.Minute},
		{"secondary limit", secondary, fields(4000, now+3600, "Retry-After", "30"), 30 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusal := sdktest.JSON(http.StatusForbidden, row.body, row.fields...)
				server := &sdktest.Journal{Next: sdktest.First(1, refusal, sdktest.JSON(http.StatusCreated, `{"number":7}`))}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: server}}}
				client, err := gogithub.New("token", calls)
				require.NoError(t, err)

				start := time.Now()
				sdktest.RequireResent(t, calls, server, func() error {
					title := "a title"
					issue, _, err := client.Issues.Create(t.Context(), "golang", "go", &github.IssueRequest{Title: &title})
					require.Equal(t, 7, issue.GetNumber())
					return err
				})
				require.JSONEq(t, `{"title":"a title"}`, server.Bodies[1])
				require.GreaterOrEqual(t, time.Since(start), row.held)
			})
		})
	}
}

// Refusals by a GitHub Enterprise Server are recognised only with its profile.
func TestEnterprise(t *testing.T) {
	const host = "github.example.com"
	for _, row := range []struct {
		name     string
		profiles []validate.Profile
		wire     int
	}{
		{"with the profile", []validate.Profile{gogithub.Enterprise(host)}, 2},
		{"without", nil, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := sdktest.First(1, sdktest.JSON(http.StatusForbidden, secondary), sdktest.JSON(http.StatusOK, `{"id":1}`))
				server := &sdktest.Counter{Base: &ratelimittest.Transport{Handler: answers}}
				url := "https://" + host + "/api/v3/"
				client, err := gogithub.New("token", &headway.Transport{Base: server, Profiles: row.profiles}, github.WithEnterpriseURLs(url, url))
				require.NoError(t, err)

				start := time.Now()
				err = get(t.Context(), client)
				require.Equal(t, row.wire, server.Calls())
				if row.wire == 1 {
					var sdks *github.AbuseRateLimitError
					require.ErrorAs(t, err, &sdks)
					return
				}
				require.NoError(t, err)
				require.GreaterOrEqual(t, time.Since(start), time.Minute)
			})
		})
	}
}
