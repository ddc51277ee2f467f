package fuzz

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// FuzzProfile checks that a profile from JSON is whole or an error, that it is written as it was read,
// and that a response that it describes is within the bounds.
func FuzzProfile(f *testing.F) {
	for _, text := range []string{
		`{"host":"a.example","path":"/","reset-unit":"1ms","windows":["15m","24h"],"aligned":true,"statuses":[402]}`,
		`[{"host":"a.example","proofs":[{"status":403,"text":"slow"}],"min-wait":"1m","policy-field":"X-Why"}]`,
		`{"host":"a.example","fields":[{"name":"X-Used","holds":"used","quota":6000,"window":"1m","unit":"weight"}]}`,
		`{"host":"a.example","fields":[{"name":"x-used","holds":"percent"},{"name":"X-RateLimit-Remaining","holds":"nothing"}],"source":"a"}`,
		`{"host":"a.example","aligned":true,"limits":[{"quota":60,"window":"1m"},{"policy":"b","quota":9,"window":"9000h","unit":"points"}]}`,
		`{"host":"a.example","fields":[{"name":"X-Used","holds":"reset","time-unit":"9000h"},{"name":"X-RateLimit-Remaining","quota":9}]}`,
		`{"host":"a.example","fields":[{"name":"X-Us*","pattern":"(?<name>\\w+)=(?<used>[^/]*)/(?<limit>.+?)/(?<window>\\w+)(?<penalty>.*)"}]}`,
		`{"host":"a.example","fields":[{"name":"X-Used","pattern":"(?<remaining>\\S+) (?<reset>\\S+)"}]}`,
		`{"host":"a.example","host":"b"}`, `{"host":1}`, `[[]]`, `{`, ``, `null`, `[]`,
	} {
		for _, value := range []string{"28", "28%", "-1", "99999999999999999999", "Inf", "a=8/9/m0, b=8/9/1h", "5 1m"} {
			f.Add(text, value)
		}
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		all, err := validate.ReadProfiles([]byte(text))
		if err != nil {
			require.Nil(t, all)
			return
		}
		written, err := json.Marshal(all)
		require.NoError(t, err)
		again, err := validate.ReadProfiles(written)
		require.NoError(t, err, "%s", written)
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))

		resp := &http.Response{
			StatusCode: http.StatusForbidden,
			Header:     http.Header{"X-Used": {value}, "X-Ratelimit-Remaining": {"5"}, "Date": {"Wed, 04 Mar 2026 12:00:00 GMT"}},
			Request:    &http.Request{URL: &url.URL{Host: "a.example", Path: "/"}},
		}
		checkReading(t, validate.Response(resp, time.Time{}, validate.Bounds{}, all...), resolved(validate.Bounds{}))
	})
}
