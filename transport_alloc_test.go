//go:build !race

package headway_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// Looking for a profile does not allocate.
func TestProfilesAllocations(t *testing.T) {
	fields := http.Header{
		"X-Ratelimit-Limit": {"500000000"}, "X-Ratelimit-Remaining": {"499999999"}, "X-Ratelimit-Reset": {"60"},
	}
	own := []validate.Profile{
		{Host: "unrelated.example", Statuses: []int{420}},
		{Host: "example.com", ResetUnit: time.Second, Windows: []time.Duration{time.Minute}, Signs: []validate.Sign{{Statuses: []int{403}, Text: "slow"}}},
	}
	for _, test := range []struct {
		name, url string
		profiles  []validate.Profile
		want      int
	}{
		{"none", kit.URL, nil, 0},
		{"one for the host", kit.URL, own, 0},
		{"a built-in one with windows", "https://www.reddit.com/r/all", nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := kit.NewRequest(t, test.url)
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

func TestRoundTripAllocations(t *testing.T) {
	plain := http.Header{"Content-Type": {"application/json"}, "Date": {"Mon, 05 Jan 2026 00:00:00 GMT"}}
	for _, test := range []struct {
		name   string
		answer http.Header
		key    []byte // for snapshots
		fleet  bool
		logger *slog.Logger
		want   int
	}{
		{"no rate-limit field", plain, nil, false, nil, 0},
		{"snapshots", plain, kit.Secret(), false, nil, 0},
		{"draft-10", abundant(), nil, false, nil, 0},
		{"draft-10, logged", abundant(), nil, false, slog.New(slog.DiscardHandler), 2},
		{"draft-10, with a fleet", abundant(), nil, true, nil, 0},
		{"X-RateLimit", abundantX(), nil, false, nil, 0},
		{"X-RateLimit, until an instant", abundantXEpoch(), nil, false, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := benchmarkTransport(newConstBase(test.answer))
			transport.SnapshotKey = test.key
			transport.Logger = test.logger
			req := kit.NewRequest(t, kit.URL, "Authorization", "Bearer 0123456789abcdef", "Accept", "application/json")
			if test.fleet {
				joinHandFleet(t, transport, req)
			}
			got := testing.AllocsPerRun(1000, func() {
				if _, err := transport.RoundTrip(req); err != nil {
					t.Fatal(err)
				}
			})
			require.Equal(t, test.want, int(got))
		})
	}
}

// A body costs nothing more, unless the response announces a trailer.
func TestTrailerAllocations(t *testing.T) {
	for _, test := range []struct {
		name string
		resp http.Response
	}{
		{"a length, HTTP/1.1", http.Response{ProtoMajor: 1, ContentLength: 4, Body: body{}}},
		{"chunked", http.Response{ProtoMajor: 1, TransferEncoding: []string{"chunked"}, Body: body{}}},
		{"announced, and no body", http.Response{ProtoMajor: 2, Trailer: http.Header{"Checksum": nil}, Body: http.NoBody}},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := &freshBase{template: test.resp}
			base.template.StatusCode = max(test.resp.StatusCode, http.StatusOK)
			base.template.Header = http.Header{"Content-Type": {"application/json"}}
			transport := benchmarkTransport(base)
			req := kit.NewRequest(t, kit.URL)
			got := testing.AllocsPerRun(1000, func() {
				resp, err := transport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = resp.Body.Read(nil)
				_ = resp.Body.Close()
			})
			require.Zero(t, got)
		})
	}
}

// A Forecast of one request allocates nothing.
func TestAllocationsOfAForecast(t *testing.T) {
	transport := benchmarkTransport(kit.Always(http.StatusOK, kit.Fields("RateLimit-Policy", `"a";q=100;w=60`, "RateLimit", `"a";r=50;t=30`)))
	require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL))
	req := kit.NewRequest(t, kit.URL)
	require.Zero(t, testing.AllocsPerRun(100, func() { transport.Forecast(req, 1) }))
}
