package validate_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

const wholeProfile = `{"host":"example.com","source":"https://example.com/docs","path":"/v1/","reset-unit":"1ms","windows":["15m0s","0s","24h0m0s"],"aligned":true,` +
	`"statuses":[400,999],"signs":[{"statuses":[403],"text":"slow \"down\""}],"min-wait":"1m0s","policy-field":"X-Why","fields":[` +
	`{"name":"X-Used-1M","holds":"used","policy":"weight","unit":"weight","quota":6000,"window":"1m0s"},` +
	`{"name":"X-Ends","holds":"reset","time-unit":"1m0s"},{"name":"RateLimit","unit":"points"},{"name":"X-Of","pattern":"(?P\u003cused\u003e.+)/9"}],` +
	`"limits":[{"policy":"a","unit":"points","quota":60,"window":"1m0s"},{"quota":9,"window":"1h0m0s"}]}`

func TestReadProfiles(t *testing.T) {
	whole := validate.Profile{
		Host: "example.com", Source: "https://example.com/docs", Path: "/v1/", ResetUnit: time.Millisecond, Windows: []time.Duration{15 * time.Minute, 0, 24 * time.Hour},
		Aligned: true, Statuses: []int{400, 999}, Signs: []validate.Sign{{Statuses: []int{403}, Text: `slow "down"`}}, MinWait: time.Minute,
		PolicyField: "X-Why",
		Fields: []validate.Field{
			{Name: "X-Used-1M", Holds: validate.HoldsUsed, Policy: "weight", Unit: "weight", Quota: 6000, Window: time.Minute},
			{Name: "X-Ends", Holds: validate.HoldsReset, TimeUnit: time.Minute},
			{Name: "RateLimit", Unit: "points"},
			{Name: "X-Of", Pattern: "(?P<used>.+)/9"},
		},
		Limits: []validate.Limit{{Policy: "a", Unit: "points", Quota: 60, Window: time.Minute}, {Quota: 9, Window: time.Hour}},
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
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "unexpected end"},
		{"a broken list", `[{"host":"a"}`, "unexpected end"},
		{"something after it", `{"host":"a"} {}`, "after top-level value"},
		{"no host", `[{"host":"a"},{}]`, `profiles[1]: host ""`},
		{"an unknown key", `{"host":"a","min-weight":"1m"}`, `host "a": json: unknown field "min-weight"`},
		{"an unknown key of a sign", `{"host":"a","signs":[{"text":"a","body":"b"}]}`, `"body"`},
		{"a number in place of a duration", `{"host":"a","min-wait":60}`, "min-wait"},
		{"a negative duration", `{"host":"a","reset-unit":"-1s"}`, `"-1s"`},
		{"a status of success", `{"host":"a","statuses":[200]}`, "statuses"},
		{"a sign of nothing", `{"host":"a","signs":[{"statuses":[403]}]}`, "signs"},
		{"a sign with a status of success", `{"host":"a","signs":[{"statuses":[200],"text":"a"}]}`, "signs"},
		{"a sign with another verdict", `{"host":"a","signs":[{"text":"a","verdict":"maybe"}]}`, `"maybe"`},
		{"a field without a name", `{"host":"a","fields":[{"holds":"used"}]}`, `field ""`},
		{"a field that holds something else", `{"host":"a","fields":[{"name":"b","holds":"all"}]}`, `"all"`},
		{"a negative quota", `{"host":"a","fields":[{"name":"b","quota":-1}]}`, "-1"},
		{"a broken pattern", `{"host":"a","fields":[{"name":"b","pattern":"(?<limit"}]}`, "invalid named capture"},
		{"a pattern with another group", `{"host":"a","fields":[{"name":"b","pattern":"(?<limits>5)"}]}`, `"limits"`},
		{"a pattern in a field that holds something", `{"host":"a","fields":[{"name":"b","holds":"used","pattern":"(?<used>5)"}]}`, "holds"},
		{"a limit without a window", `{"host":"a","limits":[{"quota":60}]}`, "limits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := validate.ReadProfiles([]byte(test.text))
			require.Nil(t, got)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestProfileStaysOnAnError checks that what is wrong changes nothing.
func TestProfileStaysOnAnError(t *testing.T) {
	p := validate.Profile{Host: "example.com"}
	require.ErrorContains(t, json.Unmarshal([]byte(`{"host":"a","statuses":[402,1]}`), &p), "statuses")
	require.Equal(t, validate.Profile{Host: "example.com"}, p)
}

func TestTextOfAVerdict(t *testing.T) {
	require.Equal(t, "never", validate.VerdictNever.String())
	require.Equal(t, "Verdict(5)", (validate.VerdictNever + 1).String())
}
