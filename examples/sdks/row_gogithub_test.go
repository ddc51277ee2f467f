package sdks_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-github/v88/github"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/examples/sdks/gogithub"
)

func gogithubRows() []row {
	r := row{sdk: "go-github v88", answer: `{"id":1,"full_name":"golang/go"}`}
	bare, recipe := r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return gettingRepository(github.NewClient(github.WithAuthToken("token"), github.WithTransport(transport)))
	}
	recipe.use, recipe.client = "`New`", func(transport http.RoundTripper) func(context.Context) error {
		return gettingRepository(gogithub.New("token", transport))
	}
	recipe.response = func(t *testing.T, err error) *http.Response {
		t.Helper()
		var answer *github.ErrorResponse
		require.ErrorAs(t, err, &answer)
		return answer.Response
	}
	return []row{bare, recipe}
}

func gettingRepository(client *github.Client, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err != nil {
			return err
		}
		_, _, err := client.Repositories.Get(ctx, "golang", "go")
		return err
	}
}
