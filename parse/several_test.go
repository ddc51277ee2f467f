package parse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/headway-go/headway/parse"
)

func TestPositions(t *testing.T) {
	testFields(t, []fieldsRow{
		{
			"Strava",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 314,27536"},
			[]string{`other "600" q=600 used=314`, `other "30000" q=30000 used=27536`},
		},
		{
			"Strava's reads",
			[]string{"X-ReadRateLimit-Limit: 100,1000", "X-ReadRateLimit-Usage: 1,13"},
			[]string{`other "read 100" q=100 used=1`, `other "read 1000" q=1000 used=13`},
		},
		{
			"what is left",
			[]string{"RateLimit-Limit: 10, 1000", "RateLimit-Remaining: 3, 900"},
			[]string{`other "10" q=10 r=3`, `other "1000" q=1000 r=900`},
		},
		{
			"what could be thousands but for the space behind the comma",
			[]string{"RateLimit-Limit: 60, 600", "RateLimit-Remaining: 59, 599"},
			[]string{`other "60" q=60 r=59`, `other "600" q=600 r=599`},
		},
		{
			"two digits behind a space",
			[]string{"X-RateLimit-Limit: 10, 60", "X-RateLimit-Remaining: 9, 59"},
			[]string{`other "10" q=10 r=9`, `other "60" q=60 r=59`},
		},
		{
			"Brave: a quota of 0 is not metered",
			[]string{"X-RateLimit-Limit: 50, 0", "X-RateLimit-Remaining: 49, 0", "X-RateLimit-Reset: 1, 1207360", "X-RateLimit-Policy: 50;w=1, 0;w=2592000"},
			[]string{`other "50" q=50 r=49 w=1s t=1s`},
		},
		{
			"with policies",
			[]string{"X-RateLimit-Limit: 1, 15000", "X-RateLimit-Remaining: 1, 1000", "X-RateLimit-Policy: 1;w=1, 15000;w=2592000"},
			[]string{`other "1" q=1 r=1 w=1s`, `other "15000" q=15000 r=1000 w=720h0m0s`},
		},
		{
			"with policies in another order",
			[]string{"X-RateLimit-Limit: 1, 15000", "X-RateLimit-Remaining: 1, 1000", "X-RateLimit-Policy: 15000;w=2592000, 1;w=1"},
			[]string{`other "1" q=1 r=1`, `other "15000" q=15000 r=1000`},
		},
		{
			"one number is the same in what is left",
			[]string{"X-Rate-Limit-Limit: 10, 1000", "X-Rate-Limit-Remaining: 5, 5"},
			[]string{`other "10" q=10 r=5`, `other "1000" q=1000 r=5`},
		},
		{
			"with a label",
			[]string{"X-RateLimit-Limit-Tokens: 600,30000", "X-RateLimit-Remaining-Tokens: 5,6"},
			[]string{`other "tokens 600" unit=tokens q=600 r=5`, `other "tokens 30000" unit=tokens q=30000 r=6`},
		},
		{
			"with resets and windows",
			[]string{"X-RateLimit-Limit: 10,1000", "X-RateLimit-Remaining: 3,900", "X-RateLimit-Reset: 1,60", "X-RateLimit-Period: 1,3600"},
			[]string{`other "10" q=10 r=3 w=1s t=1s`, `other "1000" q=1000 r=900 w=1h0m0s t=1m0s`},
		},
		{
			"white space",
			[]string{"X-RateLimit-Limit: \t600 , 30000 ", "X-RateLimit-Usage: 314\t,27536"},
			[]string{`other "600" q=600 used=314`, `other "30000" q=30000 used=27536`},
		},
		{
			"as many as there may be",
			[]string{"X-RateLimit-Limit: 1,2,3,4,5,6,7,8", "X-RateLimit-Usage: 1,1,1,1,1,1,1,1"},
			[]string{
				`other "1" q=1 used=1`, `other "2" q=2 used=1`, `other "3" q=3 used=1`, `other "4" q=4 used=1`,
				`other "5" q=5 used=1`, `other "6" q=6 used=1`, `other "7" q=7 used=1`, `other "8" q=8 used=1`,
			},
		},
		{
			"the largest numbers",
			[]string{"X-RateLimit-Limit: 1,99999999999999999999", "X-RateLimit-Usage: 0,99999999999999999999"},
			[]string{`other "1" q=1 used=0`, `other "99999999999999999999" q=9223372036854775807 used=9223372036854775807`},
		},
	})
}

// TestPositionsOfAnotherNumber checks that a field with more or fewer values than -Limit is ignored. For
// a field with a name, that is no problem.
func TestPositionsOfAnotherNumber(t *testing.T) {
	const reset = "problem X-RateLimit-Reset at -1: values contradict each other"
	limits := []string{`other "600" q=600 used=1`, `other "30000" q=30000 used=2`}
	var rows []fieldsRow
	for _, c := range []struct {
		name, field string
		problems    []string
	}{
		{"one reset", "X-RateLimit-Reset: 5", []string{reset}},
		{"three resets", "X-RateLimit-Reset: 5,6,7", []string{reset}},
		{"a date", "X-RateLimit-Reset: Tue, 14 Mar 2017 16:16:00 GMT", []string{reset}},
		{"three remaining", "X-RateLimit-Remaining: 5,6,7", []string{"problem X-RateLimit-Remaining at -1: values contradict each other"}},
		{"a name", "X-RateLimit-Resource: core", nil},
		{"a scope", "X-RateLimit-Scope: user", nil},
	} {
		header := []string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 1,2", c.field}
		rows = append(rows, fieldsRow{c.name, header, slices.Concat(limits, c.problems)})
	}
	testFields(t, rows)
}

// TestPositionsProblems checks that a field reports one problem at most, at its first error.
func TestPositionsProblems(t *testing.T) {
	long := strings.Repeat("9", parse.MaxDigits+1)
	testFields(t, []fieldsRow{
		{
			"both windows",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 1,2", "X-RateLimit-Period: 0,0"},
			[]string{`other "600" q=600 used=1`, `other "30000" q=30000 used=2`, "problem X-RateLimit-Period at -1: number out of range"},
		},
		{
			"the second window",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 1,2", "X-RateLimit-Period: 900, 0"},
			[]string{`other "600" q=600 used=1 w=15m0s`, `other "30000" q=30000 used=2`, "problem X-RateLimit-Period at -1: number out of range"},
		},
		{
			"the second limit",
			[]string{"X-RateLimit-Limit: 600," + long, "X-RateLimit-Usage: 1,2"},
			[]string{`other "600" q=600 used=1`, `other "` + long + `" used=2`, "problem X-RateLimit-Limit at -1: too long"},
		},
	})
}

// TestNoPositions checks that numbers with a thousands separator, numbers that a proxy joined, and
// policies are not several limits.
func TestNoPositions(t *testing.T) {
	const conflict = ": values contradict each other"
	testFields(t, []fieldsRow{
		{
			"a limit alone",
			[]string{"X-RateLimit-Limit: 600,30000"},
			[]string{"problem X-RateLimit-Limit at 4" + conflict},
		},
		{
			"one number left",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Remaining: 5"},
			[]string{"X-RateLimit r=5", "problem X-RateLimit-Limit at 4" + conflict},
		},
		{
			"another number of values",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 1,2,3"},
			[]string{"problem X-RateLimit-Limit at 4" + conflict, "problem X-RateLimit-Usage at 2" + conflict},
		},
		{
			"as many resets only",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Reset: 1,2"},
			[]string{"problem X-RateLimit-Limit at 4" + conflict, "problem X-RateLimit-Reset at 2" + conflict},
		},
		{
			"what is left of another label",
			[]string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Remaining-Tokens: 1,2"},
			[]string{"problem X-RateLimit-Limit at 4" + conflict, "problem X-RateLimit-Remaining-Tokens at 2" + conflict},
		},
		{
			"thousands separators",
			[]string{"X-RateLimit-Limit: 5,000", "X-RateLimit-Remaining: 4,999"},
			[]string{"problem X-RateLimit-Limit at 2" + conflict, "problem X-RateLimit-Remaining at 2" + conflict},
		},
		{
			"two of them",
			[]string{"X-RateLimit-Limit: 12,500,000", "X-RateLimit-Remaining: 12,499,999"},
			[]string{"problem X-RateLimit-Limit at 3" + conflict, "problem X-RateLimit-Remaining at 3" + conflict},
		},
		{
			"a thousand, and nothing used",
			[]string{"X-RateLimit-Limit: 1,000", "X-RateLimit-Usage: 0"},
			[]string{"X-RateLimit used=0", "problem X-RateLimit-Limit at 2" + conflict},
		},
		{
			"joined by a proxy",
			[]string{"X-RateLimit-Limit: 100, 100", "X-RateLimit-Remaining: 99, 99"},
			[]string{"X-RateLimit q=100 r=99"},
		},
		{
			"joined, with different numbers left",
			[]string{"X-RateLimit-Limit: 1000, 1000", "X-RateLimit-Remaining: 99, 98"},
			[]string{"X-RateLimit q=1000", "problem X-RateLimit-Remaining at 4" + conflict},
		},
		{
			"policies",
			[]string{"X-RateLimit-Limit: 10, 10;w=1, 1000;w=3600", "X-RateLimit-Remaining: 1,2,3"},
			[]string{"X-RateLimit q=10 policy=10/1 policy=1000/3600", "problem X-RateLimit-Remaining at 2" + conflict},
		},
		{
			"a negative number",
			[]string{"X-RateLimit-Limit: -1,30000", "X-RateLimit-Usage: 1,2"},
			[]string{"problem X-RateLimit-Limit at 3" + conflict, "problem X-RateLimit-Usage at 2" + conflict},
		},
		{
			"a fraction",
			[]string{"X-RateLimit-Limit: 1.5,30000", "X-RateLimit-Usage: 1,2"},
			[]string{"problem X-RateLimit-Limit at 4" + conflict, "problem X-RateLimit-Usage at 2" + conflict},
		},
		{
			"an empty value",
			[]string{"X-RateLimit-Limit: 600,,30000", "X-RateLimit-Usage: 1,2,3"},
			[]string{"problem X-RateLimit-Limit at 4: not a number", "problem X-RateLimit-Usage at 2" + conflict},
		},
		{
			"a space within",
			[]string{"X-RateLimit-Limit: 6 0,30000", "X-RateLimit-Usage: 1,2"},
			[]string{"problem X-RateLimit-Limit at 2: unexpected character", "problem X-RateLimit-Usage at 2" + conflict},
		},
		{
			"two lines",
			[]string{"X-RateLimit-Limit: 600", "X-RateLimit-Limit: 30000", "X-RateLimit-Usage: 314,27536"},
			[]string{"X-RateLimit q=600", "problem X-RateLimit-Limit at 5" + conflict, "problem X-RateLimit-Usage at 4" + conflict},
		},
		{
			"more than there may be",
			[]string{"X-RateLimit-Limit: 1,2,3,4,5,6,7,8,9", "X-RateLimit-Usage: 1,1,1,1,1,1,1,1,1"},
			[]string{"X-RateLimit used=1", "problem X-RateLimit-Limit at 2" + conflict},
		},
	})
}
