package validate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A Reader doubts a reset without a unit of more than an hour, as it may count milliseconds. A window of that length
// explains it, and so does the unit in a profile.
func TestUnitOfReset(t *testing.T) {
	const api = "https://api.example.com/things"
	for _, row := range []struct {
		name, url, reset, window string
		want                     time.Duration
	}{
		{"an hour", api, "3600", "", time.Hour},
		{"more", api, "3601", "", unknown},
		{"milliseconds, perhaps", api, "60000", "", unknown},
		{"two days, and the window is one", api, "172800", "86400", unknown},
		{"the window may count milliseconds, too", api, "60000", "60000", unknown},
		{"an epoch has a unit", api, "1772712000", "", 24 * time.Hour},
		{"a profile says milliseconds", "https://eth.blockscout.com/api/v2/stats", "60000", "", time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			fields := []string{date, "X-RateLimit-Limit: 600", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: " + row.reset}
			if row.window != "" {
				fields = append(fields, "X-RateLimit-Window: "+row.window)
			}
			m := msg(200, fields...)
			m.url = row.url
			reading := validate.NewReader(validate.Bounds{}, func() time.Time { return received }).Read(m.response())
			require.Len(t, reading.Limits, 1)
			require.Equal(t, row.want, reading.Limits[0].Reset)
			if row.want == unknown {
				require.Contains(t, problems(*reading), "X-RateLimit-Reset: "+string(validate.Doubted))
			}
		})
	}
}

// A policy, a documented window or a label explains a reset, wherever it stands. A quota of 0 for a day is no limit that is
// left out.
func TestExplainedResets(t *testing.T) {
	usual := []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 50000"}
	for _, row := range []struct {
		name   string
		fields []string
		own    []validate.Profile
		want   time.Duration
	}{
		{"RateLimit-Policy", []string{"RateLimit-Limit: 1000", "RateLimit-Remaining: 0", "RateLimit-Reset: 50000", "RateLimit-Policy: 1000;w=86400"}, nil, 50000 * s},
		{"a policy in -Limit", []string{"X-RateLimit-Limit: 1000, 1000;w=86400", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 50000"}, nil, 50000 * s},
		{"a profile's window", usual, []validate.Profile{{Host: "api.example.com", Windows: []time.Duration{24 * time.Hour}}}, 50000 * s},
		{"a field's window", usual, []validate.Profile{{Host: "api.example.com", Fields: []validate.Field{{Name: "X-RateLimit-Limit", Window: 24 * time.Hour}}}}, 50000 * s},
		{"a window that does not", usual, []validate.Profile{{Host: "api.example.com", Windows: []time.Duration{time.Minute}}}, unknown},
		{"a quota of 0", []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 86400"}, nil, unknown},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := msg(403, append(row.fields, date)...)
			m.url = "https://api.example.com/"
			reading := validate.NewReader(validate.Bounds{}, func() time.Time { return received }, row.own...).Read(m.response())
			require.True(t, reading.Verdict.IsRefusal())
			require.Len(t, reading.Limits, 1)
			require.Zero(t, reading.Limits[0].Remaining)
			require.Equal(t, row.want, reading.Limits[0].Reset)
		})
	}
}

// Response shows what a server sent, and doubts no reset.
func TestResponseDoubtsNoReset(t *testing.T) {
	resp := msg(200, "X-RateLimit-Limit: 600", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 60000").response()
	require.Equal(t, 60000*s, validate.Response(resp, received, validate.Bounds{}).Limits[0].Reset)
}
