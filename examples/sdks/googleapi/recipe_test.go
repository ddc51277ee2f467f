package googleapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/api/drive/v3"
	sdk "google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/googleapi"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

const file = `{"kind":"drive#file","id":"1","name":"a file"}`

// usage is a refusal by Drive, see https://developers.google.com/workspace/drive/api/guides/handle-errors.
func usage(status int, reason, message string) http.Handler {
	return sdktest.JSON(status, `{"error":{"errors":[{"domain":"usageLimits","reason":"`+reason+`","message":"`+message+`"}],"code":403,"message":"`+message+`"}}`)
}

// copying returns a call with a body, which headway can send again.
func copying(t *testing.T, transport http.RoundTripper, endpoint string) func(context.Context) error {
	t.Helper()
	service, err := googleapi.New(t.Context(), transport, option.WithEndpoint(endpoint))
	require.NoError(t, err)
	return func(ctx context.Context) error {
		_, err := service.Files.Copy("1", &drive.File{Name: "a file"}).Context(ctx).Do()
		return err
	}
}

// Drive reports no limits, and refuses with 403. headway waits out a limit per user, and leaves the quota of a day alone.
func TestVerdicts(t *testing.T) {
	err := sdktest.Verdicts{
		Wait:   usage(http.StatusForbidden, "userRateLimitExceeded", "User Rate Limit Exceeded"),
		Never:  usage(http.StatusForbidden, "dailyLimitExceeded", "Daily Limit Exceeded"),
		Answer: sdktest.JSON(http.StatusOK, file),
	}.Require(t, func(transport http.RoundTripper) func(context.Context) error {
		return copying(t, transport, "http://www.googleapis.com/drive/v3/")
	})
	var refusal *sdk.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "dailyLimitExceeded", refusal.Errors[0].Reason)
}

// More calls than a window allows all succeed, none is refused, and each has the credentials.
func TestTransport(t *testing.T) {
	api := sdktest.Serve(t, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(20, time.Second)}, ratelimittest.Draft10)
	api.Handler.Next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("key") != "key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		sdktest.JSON(http.StatusOK, file).ServeHTTP(w, r)
	})
	transport, err := googleapi.Transport(t.Context(), http.DefaultTransport, option.WithAPIKey("key"))
	require.NoError(t, err)
	calls := &sdktest.Counter{Base: transport}

	sdktest.Crowd{Calls: 30, Workers: 5}.RequireServed(t, calls, copying(t, calls, api.URL+"/drive/v3/"), api.Handler)
}

// The SDK does not let anybody send such a call again: the caller gets the refusal.
func TestCallThatMayHaveMedia(t *testing.T) {
	refusal := usage(http.StatusForbidden, "userRateLimitExceeded", "User Rate Limit Exceeded")
	server := &sdktest.Journal{Next: sdktest.First(1, refusal, sdktest.JSON(http.StatusOK, file))}
	service, err := googleapi.New(t.Context(), &headway.Transport{Base: &ratelimittest.Transport{Handler: server}})
	require.NoError(t, err)
	_, err = service.Files.Create(&drive.File{Name: "a file"}).Do()
	var refused *sdk.Error
	require.ErrorAs(t, err, &refused)
	require.Len(t, server.Bodies, 1)
}

// A writer of Cloud Storage repeats a refusal for good until its context ends, and no more with the recipe.
func TestLeaveRefusals(t *testing.T) {
	for _, row := range []struct {
		name  string
		leave bool
		least int
		most  int
	}{
		{"as it is", false, 5, 100},
		{"with the recipe", true, 1, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never := sdktest.JSON(http.StatusTooManyRequests, `{"error":{"code":429,"details":[{"reason":"QUOTA_EXHAUSTED"}]}}`)
				calls := &sdktest.Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: never}}}
				service, err := storage.NewService(t.Context(), option.WithHTTPClient(&http.Client{Transport: calls}))
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var retry func(error) bool // nil: the SDK's own
				if row.leave {
					retry = googleapi.LeaveRefusals(func(error) bool { return true })
				}
				_, err = service.Objects.Insert("bucket", &storage.Object{}).Media(strings.NewReader("text")).Context(ctx).WithRetry(nil, retry).Do()
				require.Error(t, err)
				require.GreaterOrEqual(t, calls.Calls(), row.least)
				require.LessOrEqual(t, calls.Calls(), row.most)
			})
		})
	}
}
