package gogithub_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
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

// More calls than a window allows all succeed, and GitHub refuses none.
func TestRecipe(t *testing.T) {
	const workers, each = 5, 6
	api := sdktest.Serve(t, core(20, time.Second), nil)
	limited(api.Handler)
	calls := &sdktest.Counter{Base: &headway.Transport{}}
	base := api.URL + "/"
	client, err := gogithub.New("token", calls, github.WithURLs(&base, nil))
	require.NoError(t, err)

	errs := make(chan error, workers*each)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range each {
				errs <- get(context.Background(), client)
			}
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.Len(t, api.Handler.Log.Arrivals(), workers*each)
	require.Empty(t, api.Handler.Log.Arrivals().Refused())
	require.Equal(t, workers*each, calls.Calls())
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
		{"secondary limit without Retry-After", secondary, fields(4000, now+3600), time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusal := sdktest.JSON(http.StatusForbidden, row.body, row.fields...)
				var body []byte
				created := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ = io.ReadAll(r.Body) // checked below
					sdktest.JSON(http.StatusCreated, `{"number":7}`).ServeHTTP(w, r)
				})
				server := &sdktest.Counter{Base: &ratelimittest.Transport{Handler: sdktest.First(1, refusal, created)}}
				calls := &sdktest.Counter{Base: &headway.Transport{Base: server}}
				client, err := gogithub.New("token", calls)
				require.NoError(t, err)

				start := time.Now()
				title := "a title"
				issue, _, err := client.Issues.Create(t.Context(), "golang", "go", &github.IssueRequest{Title: &title})
				require.NoError(t, err)
				require.Equal(t, 7, issue.GetNumber())
				require.JSONEq(t, `{"title":"a title"}`, string(body))
				require.GreaterOrEqual(t, time.Since(start), row.held)
				require.Equal(t, 1, calls.Calls())
				require.Equal(t, 2, server.Calls())
			})
		})
	}
}

// The SDK returns headway's own refusals to its user, and does not retry.
func TestOwnRefusal(t *testing.T) {
	soon := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Minute)
	}
	for _, row := range []struct {
		name      string
		transport *headway.Transport
		bound     func(context.Context) (context.Context, context.CancelFunc)
		check     func(*testing.T, error)
	}{
		{"MaxWait", &headway.Transport{MaxWait: time.Minute}, context.WithCancel, limitErrorIs(headway.ErrMaxWait)},
		{"a deadline", &headway.Transport{}, soon, limitErrorIs(context.DeadlineExceeded)},
		{"MaxWait, with a response", &headway.Transport{MaxWait: time.Minute, Refusal: headway.RefuseWithResponse}, context.WithCancel, isRefused},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := &ratelimittest.Handler{Limiter: core(1, time.Hour)}
				limited(handler)
				row.transport.Base = &ratelimittest.Transport{Handler: handler}
				calls := &sdktest.Counter{Base: row.transport}
				client, err := gogithub.New("token", calls)
				require.NoError(t, err)
				require.NoError(t, get(t.Context(), client))
				calls.Reset()

				start := time.Now()
				ctx, cancel := row.bound(t.Context())
				defer cancel()
				row.check(t, get(ctx, client))
				require.Zero(t, time.Since(start))
				require.Equal(t, 1, calls.Calls())
				require.Len(t, handler.Log.Arrivals(), 1)
			})
		})
	}
}

func limitErrorIs(reason error) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		t.Helper()
		var limit *headway.LimitError
		require.ErrorAs(t, err, &limit)
		require.ErrorIs(t, err, reason)
	}
}

func isRefused(t *testing.T, err error) {
	t.Helper()
	var answer *github.ErrorResponse
	require.ErrorAs(t, err, &answer)
	_, refused := headway.Refused(answer.Response)
	require.True(t, refused)
}

// Without WithDisableRateLimitCheck, the call after the last one of a window fails without reaching headway,
// which would have waited for the next window.
func TestTheSDKsOwnCheck(t *testing.T) {
	for _, row := range []struct {
		name    string
		options []github.ClientOptionsFunc // in place of the recipe's
		calls   int                        // of the transport, for two calls by the user
	}{
		{"with the recipe", nil, 2},
		{"without", []github.ClientOptionsFunc{github.WithAuthToken("token")}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := &ratelimittest.Handler{Limiter: core(1, time.Hour)}
				limited(handler)
				calls := &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}}
				client, err := gogithub.New("token", calls)
				if row.options != nil {
					client, err = github.NewClient(append(row.options, github.WithTransport(calls))...)
				}
				require.NoError(t, err)

				require.NoError(t, get(t.Context(), client))
				err = get(t.Context(), client)
				var sdks *github.RateLimitError
				require.Equal(t, row.calls == 1, errors.As(err, &sdks))
				require.Equal(t, row.calls, calls.Calls())
				require.Empty(t, handler.Log.Arrivals().Refused())
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
