package proxy

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A field that cannot be read is an error that names the field, but not the value.
func TestFieldsThatCannotBeRead(t *testing.T) {
	for _, row := range []struct{ name, field, value string }{
		{"priority in words", priorityField, "hunter2"},
		{"cost in words", costField, "tokens=hunter2"},
		{"cost without unit", costField, "=3"},
		{"negative cost", costField, "tokens=-1"},
		{"second cost", costField, "tokens=1, requests=many"},
		{"too many units", costField, "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1,n=1,o=1,p=1,q=1"},
		{"too large a cost", costField, "tokens=99999999999999999999"},
		{"negative wait", maxWaitField, "-2s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := inMemory(t, served(func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
			resp := get(t.Context(), s, "/", row.field+": "+row.value)
			require.Equal(t, http.StatusBadRequest, resp.StatusCode)
			text := textOf(t, resp)
			require.Contains(t, text, `"message":"the field `+row.field+" must be")
			require.NotContains(t, text, "hunter2")
		})
	}
}

// A field that may stand once only is an error if it stands twice.
func TestFieldsThatStandTwice(t *testing.T) {
	for _, field := range []string{priorityField + ": 1", maxWaitField + ": 1s"} {
		s, _ := inMemory(t, served(func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
		require.Equal(t, http.StatusBadRequest, get(t.Context(), s, "/", field, field).StatusCode)
	}
	s, _ := inMemory(t, served(echo))
	require.Equal(t, 200, get(t.Context(), s, "/", costField+": a=1,, b=2,", costField+": a=3").StatusCode)
}

// The fields for the proxy do not reach the upstream. All others do.
func TestFieldsAreTakenOff(t *testing.T) {
	base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)})
	s, _ := inMemory(t, base)
	resp := get(t.Context(), s, "/", "Headway-Priority: 5", "Headway-Cost: tokens=3", "headway-max-wait: 2s", "Headway-Later: 1",
		"Authorization: Bearer a", "X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "Accept-Encoding: br")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Empty(t, textOf(t, resp))
	req := allowed.last(t)
	require.Equal(t, http.Header{
		"Authorization": {"Bearer a"}, "X-Forwarded-For": {"192.0.2.1"}, "Forwarded": {"for=192.0.2.1"},
		"Accept-Encoding": {"br"}, "User-Agent": {""},
	}, req.Header)
}

// Headway-Max-Wait bounds the wait, and cannot exceed the upstream's bound.
func TestMaxWaitField(t *testing.T) {
	for _, row := range []struct {
		name, field string
		bound       time.Duration
		want        int
	}{
		{"long enough", "2m", -1, 200},
		{"too short", "5s", -1, 429},
		{"the bound is too short", "2m", 5 * time.Second, 429},
		{"the bound is longer", "5s", 2 * time.Minute, 429},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base, _ := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)})
				s, _ := inMemory(t, base, Upstream{To: api, MaxWait: row.bound})
				require.Equal(t, 200, get(t.Context(), s, "/").StatusCode)
				began := time.Now()
				require.Equal(t, row.want, get(t.Context(), s, "/", maxWaitField+": "+row.field).StatusCode)
				require.Equal(t, row.want == 200, time.Since(began) > 30*time.Second)
			})
		})
	}
}

// Headway-Priority lets a request go before others that wait.
func TestPriorityField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)})
		s, _ := inMemory(t, base)
		require.Equal(t, 200, get(t.Context(), s, "/?first").StatusCode)
		for _, x := range []struct{ query, priority string }{{"low", "-3"}, {"usual", ""}, {"high", "7"}} {
			go get(t.Context(), s, "/?"+x.query, priorityField+": "+x.priority)
			synctest.Wait()
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"first", "high", "usual", "low"}, allowed.queries())
	})
}

// Headway-Cost counts against a limit in that unit: of 100 tokens a minute, requests of 50 go two a minute.
func TestCostField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Time
		left := 100
		base := served(func(w http.ResponseWriter, _ *http.Request) {
			sent = append(sent, time.Now())
			left -= 50
			w.Header().Set("RateLimit-Policy", `"t";q=100;w=60;qu="tokens"`)
			w.Header().Set("RateLimit", `"t";r=`+map[bool]string{true: "50", false: "0"}[left == 50]+`;t=60`)
			if left == 0 {
				left = 100
			}
		})
		s, _ := inMemory(t, base)
		for range 3 {
			require.Equal(t, 200, get(t.Context(), s, "/", costField+": tokens=50, requests=1").StatusCode)
		}
		require.Equal(t, 429, get(t.Context(), s, "/", costField+": tokens=50", maxWaitField+": 1s").StatusCode)
		require.Equal(t, 200, get(t.Context(), s, "/", costField+": tokens=0", maxWaitField+": 1s").StatusCode)
		require.GreaterOrEqual(t, sent[2].Sub(sent[0]), 55*time.Second)
	})
}
