package parse_test

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/headway-go/headway/parse"
)

func ExampleHeader() {
	f := parse.Header(http.Header{
		"Ratelimit":        {`"burst";r=9;t=1, "hourly";r=50;t=1800`},
		"Ratelimit-Policy": {`"burst";q=10;w=1, "hourly";q=100;w=3600;qu="content-bytes"`},
	})
	for _, p := range f.Policy.All() {
		fmt.Printf("policy %s: %d %s in %d s\n", p.Name, p.Quota, p.Unit, p.Window)
	}
	for _, l := range f.RateLimit.All() {
		fmt.Printf("limit %s: %d left for %d s\n", l.Name, l.Remaining, l.Reset)
	}
	// Output:
	// policy burst: 10 requests in 1 s
	// policy hourly: 100 content-bytes in 3600 s
	// limit burst: 9 left for 1 s
	// limit hourly: 50 left for 1800 s
}

// A vendor's fields: a number in -Reset may be a delay or a date.
func ExampleHeader_vendor() {
	f := parse.Header(http.Header{
		"X-Ratelimit-Limit":     {"5000"},
		"X-Ratelimit-Remaining": {"4987"},
		"X-Ratelimit-Reset":     {"1372700873"},
		"X-Ratelimit-Resource":  {"core"},
		"Retry-After":           {"0.5"},
	})
	x := f.XRateLimit
	fmt.Println(x.Name, x.Remaining, "of", x.Limit, "until", x.Reset.At)
	fmt.Println("retry after", f.RetryAfter.After)
	// Output:
	// core 4987 of 5000 until 2013-07-01 17:47:53 +0000 UTC
	// retry after 500ms
}

// Malformed fields are left out and reported, without their values.
func ExampleHeader_problems() {
	f := parse.Header(http.Header{
		"Ratelimit":             {`"a";r=many, "b";r=5`},
		"X-Ratelimit-Remaining": {"unlimited"},
		"Retry-After":           {"5"},
	})
	for _, p := range f.Problems {
		fmt.Println(p.Field, p.Offset, p.Err, errors.Is(p, parse.ErrType))
	}
	fmt.Println(len(f.RateLimit.All()), f.XRateLimit.HasRemaining, f.RetryAfter.After)
	// Output:
	// RateLimit 0 value of the wrong type true
	// X-RateLimit-Remaining 0 not a number false
	// 1 false 5s
}

func ExampleRateLimit() {
	list, err := parse.RateLimit([]string{`limit=100, remaining=50, reset=5`}) // draft 07
	fmt.Println(list.All(), err)
	_, err = parse.RateLimit([]string{`"default";r=50;t`, `"other";r=`})
	fmt.Println(err)
	// Output:
	// [{ 100 50 5 }] <nil>
	// parse: RateLimit: unexpected end of the value
}

func ExampleRetryAfter() {
	for _, value := range []string{"120", "0.25", "Tue, 14 Mar 2017 16:16:00 GMT", "-1"} {
		w, err := parse.RetryAfter([]string{value})
		fmt.Println(w.Form == parse.Delay, w.After, w.At.Unix() > 0, err)
	}
	// Output:
	// true 2m0s false <nil>
	// true 250ms false <nil>
	// false 0s true <nil>
	// false 0s false parse: Retry-After: not a time
}
