package sdks_test

import (
	"context"
	"flag"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/ratelimittest"
)

var update = flag.Bool("update", false, "write the table of README.md anew")

// TestCalls measures how often an SDK calls headway for one call by its user, and how many requests reach the
// server, with and without the recipe. The table in README.md must match. With -v the test prints the table,
// the time that each call took, and its error.
func TestCalls(t *testing.T) {
	columns := situations()
	table := [][]string{header(columns)}
	for _, r := range rows() {
		line := []string{r.sdk, r.use}
		t.Run(r.sdk+"/"+r.use, func(t *testing.T) {
			for _, s := range columns {
				o := measure(t, r, s)
				t.Logf("%s: %s, after %v: %v", s.name, o, o.took, o.err)
				line = append(line, o.String())
				if r.use != asItIs {
					o.requireRecipe(t, r, s)
				}
			}
		})
		table = append(table, line)
	}
	if t.Failed() {
		return // the table has gaps
	}
	t.Log("\n" + page.Table(table))
	kit.RequireTable(t, ".", "README.md", "calls", table, *update)
}

// A timeout of the SDK's client is as good as a deadline of the call.
func TestTimeoutOfTheClient(t *testing.T) {
	for _, r := range rows() {
		if r.timed == nil {
			continue
		}
		t.Run(r.sdk, func(t *testing.T) {
			s := situation{name: "timeout", server: exhausted, usedUp: true, reason: context.DeadlineExceeded}
			r.client = r.timed
			measure(t, r, s).requireRecipe(t, r, s)
		})
	}
}

// With a recipe, twice as many calls as a window allows all succeed, and the server refuses none.
func TestMoreThanTheQuota(t *testing.T) {
	for _, r := range rows() {
		if r.use == asItIs {
			continue
		}
		t.Run(r.sdk+"/"+r.use, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(30, time.Second)}, Dialect: ratelimittest.Draft10}
				api.Next = sdktest.JSON(http.StatusOK, r.answer)
				transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: api}}
				if r.set != nil {
					r.set(transport)
				}
				calls := &sdktest.Counter{Base: transport}
				sdktest.Crowd{Calls: 60, Workers: 8}.RequireServed(t, calls, r.client(calls), api)
			})
		})
	}
}

func header(columns []situation) []string {
	names := []string{"SDK", "client"}
	for _, s := range columns {
		names = append(names, s.name)
	}
	return names
}
