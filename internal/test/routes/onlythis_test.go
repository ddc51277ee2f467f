package routes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A refusal that names what it is about holds only that: requests of another route go on.
func TestOnlyWhatARefusalNamesIsHeld(t *testing.T) {
	in := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
	for _, row := range []struct {
		name            string
		refused, served string                                     // URLs
		reports         func(isRefused bool, path string) []string // header fields
	}{
		{"Discord's bucket", "https://discord.com/api/v10/channels/1/messages", "https://discord.com/api/v10/guilds/2/members", func(isRefused bool, path string) []string {
			bucket, left := "guilds", "4"
			if strings.Contains(path, "channels") {
				bucket = "channels"
			}
			if isRefused {
				return []string{"X-RateLimit-Bucket", bucket, "X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "40", "X-RateLimit-Scope", "user", "Retry-After", "40"}
			}
			return []string{"X-RateLimit-Bucket", bucket, "X-RateLimit-Limit", "5", "X-RateLimit-Remaining", left, "X-RateLimit-Reset-After", "1"}
		}},
		{"Slack's method", "https://slack.com/api/chat.postMessage", "https://slack.com/api/users.list", func(isRefused bool, _ string) []string {
			if isRefused {
				return []string{"Retry-After", "40"}
			}
			return nil
		}},
		{"GitHub's search", "https://api.github.com/search/code", "https://api.github.com/user", func(isRefused bool, path string) []string {
			switch {
			case isRefused:
				return []string{"X-RateLimit-Resource", "search", "X-RateLimit-Limit", "30", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(40 * time.Second)}
			case strings.Contains(path, "search"):
				return []string{"X-RateLimit-Resource", "search", "X-RateLimit-Limit", "30", "X-RateLimit-Remaining", "20", "X-RateLimit-Reset", in(40 * time.Second)}
			}
			return []string{"X-RateLimit-Resource", "core", "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4000", "X-RateLimit-Reset", in(time.Hour)}
		}},
		{"Jira's burst", "https://x.atlassian.net/rest/api/3/issue", "https://x.atlassian.net/rest/api/3/search", func(isRefused bool, _ string) []string {
			fields := []string{"X-RateLimit-Limit", "350", "X-RateLimit-Remaining", "300", "X-RateLimit-Reset", time.Now().Add(time.Second).UTC().Format(time.RFC3339)}
			if isRefused {
				fields = append(fields, "RateLimit-Reason", "jira-per-issue-on-write", "Retry-After", "40")
			}
			return fields
		}},
		{"X's endpoint", "https://api.x.com/2/tweets/search/recent", "https://api.x.com/2/users/me", func(isRefused bool, path string) []string {
			limit, left := "75", "60"
			if strings.Contains(path, "search") {
				limit, left = "450", "300"
			}
			if isRefused {
				left = "0"
			}
			return []string{"X-Rate-Limit-Limit", limit, "X-Rate-Limit-Remaining", left, "X-Rate-Limit-Reset", in(400 * time.Second)}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				isRefusing := false
				transport := kit.Seeded(t, &headway.Transport{MaxRetries: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					status, isRefused := http.StatusOK, isRefusing && req.URL.String() == row.refused
					if isRefused {
						status = http.StatusTooManyRequests
					}
					return kit.Respond(req, status, row.reports(isRefused, req.URL.Path)...), nil
				})})
				for range 4 {
					require.NoError(t, kit.Fetch(t.Context(), transport, row.refused))
					require.NoError(t, kit.Fetch(t.Context(), transport, row.served))
					time.Sleep(10 * time.Second)
				}
				isRefusing = true
				require.NoError(t, kit.Fetch(t.Context(), transport, row.refused))
				begun := time.Now()
				require.NoError(t, kit.Fetch(t.Context(), transport, row.served))
				require.Less(t, time.Since(begun), 15*time.Second, "another route")
				begun = time.Now()
				require.NoError(t, kit.Fetch(t.Context(), transport, row.refused))
				require.Greater(t, time.Since(begun), 20*time.Second, "the refused route")
			})
		})
	}
}
