package parse_test

import "testing"

// -Limit is a number, a number and its policies, a ratio or a window.
func TestLimit(t *testing.T) {
	testValues(t, "Ratelimit-Limit", "RateLimit", []valueRow{
		{"number", "100", "q=100"},
		{"tollbooth", "20.00", "q=20"},
		{"draft-polli-00", `100, 100;window=60;comment="x"`, "q=100 policy=100/1m0s"},
		{"draft-polli-01", `100, 100;w=60;comment="x, \"y\"", 1000;w=3600`, "q=100 policy=100/1m0s policy=1000/1h0m0s"},
		{"Envoy", `10, 10;w=1;name="per-ip", 1000;w=3600`, `q=10 policy="per-ip":10/1s policy=1000/1h0m0s`},
		{"Envoy's duplicates", "10, 10;w=1, 10;w=1", "q=10 policy=10/1s policy=10/1s"},
		{"Docker Hub", "100;w=21600", "q=100 policy=100/6h0m0s"},
		{"AspNetCoreRateLimit", "1m", "w=1m0s"},
		{"used and quota", "32/40", "q=40 used=32"},
		{"bad window of one policy", "100, 100;w=0, 1000;w=3600", "q=100 policy=1000/1h0m0s | at 5: number out of range"},
		{"20 digits", "99999999999999999999", "q=9223372036854775807"},
		{"Strava", "600,30000", "at 4: values contradict each other"},
		{"negative", "-1", "unlimited"},
		{"unlimited", "unlimited", "at 0: not a number"},
		{"empty", "", "at -1: required value is missing"},
		{"junk behind a policy", "100, 100;w=60 x", "at 14: unexpected character"},
		{"unclosed comment", `100, 100;w=60;comment="x`, "at 24: unexpected end of the value"},
		{"window of 0", "0s", "at 1: unexpected character"},
	})
}

// -Remaining is a number. Its fraction is cut off.
func TestRemaining(t *testing.T) {
	testValues(t, "Ratelimit-Remaining", "RateLimit", []valueRow{
		{"number", "50", "r=50"},
		{"Reddit", "57.0", "r=57"},
		{"rounded down", "57.9", "r=57"},
		{"negative", "-1", "r=-1"},
		{"plus", "+7", "r=7"},
		{"white space", "\t 7 ", "r=7"},
		{"repeated by a proxy", "7,7 , 7", "r=7"},
		{"20 digits", "99999999999999999999", "r=9223372036854775807"},
		{"unlimited", "unlimited", "at 0: not a number"},
		{"Inf", "-Inf", "at 1: not a number"},
		{"hexadecimal", "0x10", "at 1: unexpected character"},
		{"empty", "", "at -1: required value is missing"},
		{"trailing junk", "5 requests", "at 2: unexpected character"},
		{"thousands separator", "5,000", "at 2: values contradict each other"},
		{"trailing comma", "5,", "at 2: unexpected end of the value"},
	})
}
