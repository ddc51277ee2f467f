//go:build !race

package headway

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// Looking for a profile costs nothing: the one allocation is that of the limits that the
// response tells. Only where windows are documented there is another one.
func TestProfilesAllocations(t *testing.T) {
	fields := http.Header{
		"X-Ratelimit-Limit": {"500000000"}, "X-Ratelimit-Remaining": {"499999999"}, "X-Ratelimit-Reset": {"60"},
	}
	own := []validate.Profile{
		{Host: "unrelated.example", Statuses: []int{420}},
		{Host: "example.com", ResetUnit: time.Second, Windows: []time.Duration{time.Minute}, Proofs: []validate.Proof{{Status: 403, Text: "slow"}}},
	}
	for _, test := range []struct {
		name, url string
		profiles  []validate.Profile
		want      int
	}{
		{"none", testURL, nil, 1},
		{"none for the host", "https://api.example.net/things", own, 1},
		{"one for the host", testURL, own, 1},
		{"a built-in one of refusals", "https://api.github.com/user", nil, 1},
		{"a built-in one with windows", "https://www.reddit.com/r/all", nil, 2},
		{"a long name", "https://a.b.c.d.e.f.g.h.i.j.k.example/", nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t, test.url)
			base := newConstBase(fields)
			base.resp.Request = req
			transport := benchmarkTransport(base)
			transport.Profiles = test.profiles
			got := testing.AllocsPerRun(1000, func() {
				if _, err := transport.RoundTrip(req); err != nil {
					t.Fatal(err)
				}
			})
			require.Equal(t, test.want, int(got))
		})
	}
}
