package validate_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

const wholeProfile = `{"host":"example.com","path":"/v1/","reset-unit":"1ms","windows":["15m0s","0s","24h0m0s"],"aligned":true,` +
	`"statuses":[402,529],"proofs":[{"status":403,"text":"slow \"down\""}],"min-wait":"1m0s","policy-field":"X-Why","fields":[` +
	`{"name":"X-Used-1M","holds":"used","policy":"weight","unit":"weight","quota":6000,"window":"1m0s"},` +
	`{"name":"X-Use","holds":"percent","time-unit":"1m0s","members":["a","b"],"wait":"w"},{"name":"RateLimit","unit":"points"}]}`

func TestReadProfiles(t *testing.T) {
	whole := validate.Profile{
		Host: "example.com", Path: "/v1/", ResetUnit: time.Millisecond, Windows: []time.Duration{15 * time.Minute, 0, 24 * time.Hour},
		Aligned: true, Statuses: []int{402, 529}, Proofs: []validate.Proof{{Status: 403, Text: `slow "down"`}}, MinWait: time.Minute,
		PolicyField: "X-Why",
		Fields: []validate.Field{
			{Name: "X-Used-1M", Holds: validate.HoldsUsed, Policy: "weight", Unit: "weight", Quota: 6000, Window: time.Minute},
			{Name: "X-Use", Holds: validate.HoldsPercent, TimeUnit: time.Minute, Members: []string{"a", "b"}, Wait: "w"},
			{Name: "RateLimit", Unit: "points"},
		},
	}
	for name, text := range map[string]string{"one": wholeProfile, "a list": "\n [" + wholeProfile + "]"} {
		t.Run(name, func(t *testing.T) {
			got, err := validate.ReadProfiles([]byte(text))
			require.NoError(t, err)
			require.Equal(t, []validate.Profile{whole}, got)
		})
	}
	written, err := json.Marshal([]validate.Profile{whole, {Host: "a"}})
	require.NoError(t, err)
	require.JSONEq(t, "["+wholeProfile+`,{"host":"a"}]`, string(written))
	var read []validate.Profile
	require.NoError(t, json.Unmarshal(written, &read))
	require.Equal(t, []validate.Profile{whole, {Host: "a"}}, read)
	read, err = validate.ReadProfiles([]byte("[]"))
	require.NoError(t, err)
	require.Empty(t, read)
}

func TestReadProfilesRejects(t *testing.T) {
	for _, test := range []struct {
		name, text, key string
		want            error
	}{
		{"nothing", "", "", validate.ErrProfileSyntax},
		{"no JSON", "{", "", validate.ErrProfileSyntax},
		{"a broken value", `{"host":}`, "host", validate.ErrProfileSyntax},
		{"a broken list", `[{"host":"a"}`, "", validate.ErrProfileSyntax},
		{"something after it", `{"host":"a"} {}`, "", validate.ErrProfileSyntax},
		{"something after a list", `[] []`, "", validate.ErrProfileSyntax},
		{"a text", `"host"`, "", validate.ErrProfileValue},
		{"a list of texts", `["host"]`, "[0]", validate.ErrProfileValue},
		{"null", `null`, "", validate.ErrProfileValue},
		{"no host", `{}`, "host", validate.ErrProfileLacks},
		{"no host in a list", `[{"host":"a"},{}]`, "[1].host", validate.ErrProfileLacks},
		{"an empty host", `{"host":""}`, "host", validate.ErrProfileValue},
		{"a host with a line break", `{"host":"a\nb"}`, "host", validate.ErrProfileValue},
		{"an unknown key", `{"host":"a","min-weight":"1m"}`, "min-weight", validate.ErrProfileKey},
		{"another case", `{"Host":"a"}`, "Host", validate.ErrProfileKey},
		{"an unknown key in a list", `[{"host":"a","fields":[{"name":"b"},{"name":"c","windw":"1m"}]}]`, "[0].fields[1].windw", validate.ErrProfileKey},
		{"a key that is there twice", `{"host":"a","host":"b"}`, "host", validate.ErrProfileTwice},
		{"a key of a field twice", `{"host":"a","fields":[{"name":"b","name":"c"}]}`, "fields[0].name", validate.ErrProfileTwice},
		{"a number in place of a duration", `{"host":"a","min-wait":60}`, "min-wait", validate.ErrProfileValue},
		{"a duration without a unit", `{"host":"a","windows":["1m","60"]}`, "windows[1]", validate.ErrProfileValue},
		{"a negative duration", `{"host":"a","reset-unit":"-1s"}`, "reset-unit", validate.ErrProfileValue},
		{"a status of success", `{"host":"a","statuses":[200]}`, "statuses[0]", validate.ErrProfileValue},
		{"a status with a fraction", `{"host":"a","statuses":[402.5]}`, "statuses[0]", validate.ErrProfileValue},
		{"null for a list", `{"host":"a","statuses":null}`, "statuses", validate.ErrProfileValue},
		{"a text for a flag", `{"host":"a","aligned":"yes"}`, "aligned", validate.ErrProfileValue},
		{"null for a flag", `{"host":"a","aligned":null}`, "aligned", validate.ErrProfileValue},
		{"a proof with more", `{"host":"a","proofs":[{"status":403,"body":"b"}]}`, "proofs[0].body", validate.ErrProfileKey},
		{"a field without a name", `{"host":"a","fields":[{"holds":"used"}]}`, "fields[0].name", validate.ErrProfileLacks},
		{"a field that holds something else", `{"host":"a","fields":[{"name":"b","holds":"all"}]}`, "fields[0].holds", validate.ErrProfileValue},
		{"a negative quota", `{"host":"a","fields":[{"name":"b","quota":-1}]}`, "fields[0].quota", validate.ErrProfileValue},
		{"a huge quota", `{"host":"a","fields":[{"name":"b","quota":1e99}]}`, "fields[0].quota", validate.ErrProfileValue},
		{"one member in place of a list", `{"host":"a","fields":[{"name":"b","members":"c"}]}`, "fields[0].members", validate.ErrProfileValue},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := validate.ReadProfiles([]byte(test.text))
			require.Nil(t, got)
			var wrong *validate.ProfileError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, test.key, wrong.Key)
			require.ErrorIs(t, err, test.want)
			if test.key != "" {
				require.ErrorContains(t, err, test.key)
			}
		})
	}
}

// TestProfileStaysOnAnError checks that what is wrong changes nothing, and is told as by ReadProfiles.
func TestProfileStaysOnAnError(t *testing.T) {
	p := validate.Profile{Host: "example.com"}
	err := json.Unmarshal([]byte(`{"host":"a","statuses":[402,1]}`), &p)
	var wrong *validate.ProfileError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "statuses[1]", wrong.Key)
	require.Equal(t, validate.Profile{Host: "example.com"}, p)
}

// TestHAProxyByAProfile checks that an owner can say that a plain 403 is a refusal.
func TestHAProxyByAProfile(t *testing.T) {
	own, err := validate.ReadProfiles([]byte(`{"host": "example.com", "statuses": [403], "min-wait": "10s"}`))
	require.NoError(t, err)
	got := msg(http.StatusForbidden).atExample().under(own...)
	require.True(t, got.Throttled)
	require.Equal(t, 10*time.Second, got.RetryAfter)
}
