package parse_test

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

func ExampleHeader() {
	f := parse.Header(http.Header{
		"Ratelimit":        {`"burst";r=9;t=1, "hourly";r=50;t=1800`},
		"Ratelimit-Policy": {`"burst";q=10;w=1, "hourly";q=100;w=3600;qu="content-bytes"`},
	})
	for _, row := range f.Rows {
		if row.Family == limits.DialectPolicy {
			fmt.Printf("policy %s: %d %s in %v\n", row.Name, row.Limit, row.Unit, row.Window)
		} else {
			fmt.Printf("limit %s: %d left for %v\n", row.Name, row.Remaining, row.Reset.After)
		}
	}
	// Output:
	// limit burst: 9 left for 1s
	// limit hourly: 50 left for 30m0s
	// policy burst: 10 requests in 1s
	// policy hourly: 100 content-bytes in 1h0m0s
}

// A vendor's own fields are read too. A number in -Reset may be a delay or a date.
func ExampleHeader_vendor() {
	f := parse.Header(http.Header{
		"X-Ratelimit-Limit":     {"5000"},
		"X-Ratelimit-Remaining": {"4987"},
		"X-Ratelimit-Reset":     {"1372700873"},
		"X-Ratelimit-Resource":  {"core"},
		"Retry-After":           {"0.5"},
	})
	x := f.Rows[0]
	fmt.Println(x.Name, x.Remaining, "of", x.Limit, "until", x.Reset.At)
	fmt.Println("retry after", f.Waits[0].When.After)
	// Output:
	// core 4987 of 5000 until 2013-07-01 17:47:53 +0000 UTC
	// retry after 500ms
}

// Malformed fields are left out and reported as Problems. Problems do not contain the values.
func ExampleHeader_problems() {
	f := parse.Header(http.Header{
		"Ratelimit":             {`"a";r=many, "b";r=5`},
		"X-Ratelimit-Remaining": {"unlimited"},
		"Retry-After":           {"5"},
	})
	for _, p := range f.Problems {
		fmt.Println(p.Field, p.Offset, p.Err, errors.Is(p, parse.ErrType))
	}
	fmt.Println(len(f.Rows), f.Waits[0].When.After)
	// Output:
	// RateLimit 0 value of the wrong type true
	// X-RateLimit-Remaining 0 not a number false
	// 1 5s
}

// A number in -Reset may be a point in time or a delay. Its size decides which.
func ExampleRow_Read() {
	for _, value := range []string{"30", "1700000030", "1700000030000", "2023-11-14T22:13:50Z", "6m0s", "soon"} {
		var row parse.Row
		err := row.Read("reset", value, 0)
		switch w := row.Reset; w.Form {
		case parse.Delay:
			fmt.Println(value, "is a delay of", w.After)
		case parse.Date:
			fmt.Println(value, "is", w.At)
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// 30 is a delay of 30s
	// 1700000030 is 2023-11-14 22:13:50 +0000 UTC
	// 1700000030000 is 2023-11-14 22:13:50 +0000 UTC
	// 2023-11-14T22:13:50Z is 2023-11-14 22:13:50 +0000 UTC
	// 6m0s is a delay of 6m0s
	// not a time
}

// An API for a language model reports a limit for each unit, in fields with labels.
func ExampleRow() {
	f := parse.Header(http.Header{
		"X-Ratelimit-Limit-Requests":     {"500"},
		"X-Ratelimit-Remaining-Requests": {"499"},
		"X-Ratelimit-Limit-Tokens":       {"30000"},
		"X-Ratelimit-Remaining-Tokens":   {"28800"},
		"X-Ratelimit-Reset-Tokens":       {"2.4s"},
	})
	for _, n := range f.Rows {
		fmt.Println(n.Remaining, "of", n.Limit, n.Unit)
	}
	// Output:
	// 499 of 500 requests
	// 28800 of 30000 tokens
}

// Wrong: taking a Remaining of -1 as absent. Some servers send -1 for a client without a limit.
func ExampleRow_incorrect() {
	sent := parse.Header(http.Header{"X-Ratelimit-Remaining": {"-1"}}).Rows
	absent := parse.Header(http.Header{"X-Ratelimit-Limit": {"100"}}).Rows
	fmt.Println("wrong:", sent[0].Remaining != parse.Unknown, absent[0].Remaining != parse.Unknown)
	fmt.Println("right:", sent[0].HasRemaining, absent[0].HasRemaining)
	// Output:
	// wrong: false false
	// right: true false
}
