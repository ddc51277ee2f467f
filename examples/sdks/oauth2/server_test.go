package oauth2_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
)

// An issuer issues tokens and knows which of them are valid.
type issuer struct {
	life time.Duration // of a token

	mu      sync.Mutex
	expires map[string]time.Time // of the tokens so far, as sent in Authorization; guarded by mu
}

// ServeHTTP issues a token.
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.expires == nil {
		i.expires = map[string]time.Time{}
	}
	token := fmt.Sprintf("token-%d", len(i.expires)+1)
	i.expires["Bearer "+token] = time.Now().Add(i.life)
	body := fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, token, int64(i.life.Seconds()))
	sdktest.JSON(http.StatusOK, body).ServeHTTP(w, r)
}

// issued returns the number of tokens issued.
func (i *issuer) issued() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.expires)
}

// checked returns a handler that checks the token before api.
func (i *issuer) checked(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		valid := i.expires[r.Header.Get("Authorization")].After(time.Now())
		i.mu.Unlock()
		if !valid {
			http.Error(w, "invalid_token", http.StatusUnauthorized)
			return
		}
		api.ServeHTTP(w, r)
	})
}

const (
	apiURL   = "https://api.example/items"
	tokenURL = "https://auth.example/token"
)

// site returns a handler for both servers.
func site(tokens, api http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("auth.example/token", tokens)
	mux.Handle("api.example/", api)
	return mux
}

// source returns a source of tokens made with ctx.
func source(ctx context.Context, url string) sdk.TokenSource {
	config := clientcredentials.Config{ClientID: "id", ClientSecret: "secret", TokenURL: url, AuthStyle: sdk.AuthStyleInHeader}
	return config.TokenSource(ctx)
}

// post makes one call of the API and returns the status of the response.
func post(ctx context.Context, client *http.Client) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, apiURL, strings.NewReader("an item"))
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}
