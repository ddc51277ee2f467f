package sdks_test

import (
	"context"
	"net/http"

	"google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/headway-go/headway/examples/sdks/googleapi"
)

func googleapiRows() []row {
	r := row{sdk: "google.golang.org/api v0.315", answer: `{"kind":"drive#file","id":"1"}`}
	bare, recipe := r, r
	bare.use, bare.client = asItIs, func(transport http.RoundTripper) func(context.Context) error {
		return copyingFile(drive.NewService(context.Background(), option.WithHTTPClient(&http.Client{Transport: transport})))
	}
	recipe.use, recipe.client = "`New`", func(transport http.RoundTripper) func(context.Context) error {
		return copyingFile(googleapi.New(context.Background(), transport))
	}
	return []row{bare, recipe}
}

func copyingFile(service *drive.Service, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err != nil {
			return err
		}
		_, err := service.Files.Copy("1", &drive.File{Name: "a file"}).Context(ctx).Do()
		return err
	}
}
