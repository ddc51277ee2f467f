package validate

import (
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/parse"
)

// wait reads Retry-After and its kin.
func (r *reader) wait(f *parse.Fields) {
	r.waitForAll(f)
	if r.resp.StatusCode >= http.StatusBadRequest {
		r.waitForNamed(f.NamedWaits)
	}
}

// waitForNamed reads Retry-After-<name>: the longest counts, and all who tell one were violated. They do
// not explain a Retry-After that is longer, which may be because of another limit.
func (r *reader) waitForNamed(waits []parse.NamedWait) {
	longest, of := time.Duration(Unknown), ""
	var violated []string
	for i := range waits {
		w := &waits[i]
		if d := r.retryDelay(w.Field, &w.Wait); d != Unknown {
			violated = append(violated, w.Label)
			if d > longest {
				longest, of = d, w.Field
			}
		}
	}
	if clamp(&longest, r.bounds.MaxReset) {
		r.problem(of, TooLong)
	}
	if longest >= r.RetryAfter {
		r.RetryAfter, r.Violated = longest, violated
	}
}

// waitForAll reads the times to wait that are for no limit in particular.
func (r *reader) waitForAll(f *parse.Fields) {
	if f.RetryAfter.Form == parse.Absent && f.RetryAfterFine.Form == parse.Absent && f.RetryAfterAlias.Form == parse.Absent {
		return
	}
	field := "Retry-After"
	r.RetryAfter = r.retryDelay(field, &f.RetryAfter)
	if fine := r.delay(&source{own: &parse.Names{Reset: f.FineName}}, &f.RetryAfterFine); fine != Unknown {
		if r.RetryAfter = finer(r.RetryAfter, fine); r.RetryAfter == fine {
			field = f.FineName
		}
	}
	if r.RetryAfter == Unknown && r.isForAll(f.AliasName) {
		field = f.AliasName
		r.RetryAfter = r.retryDelay(field, &f.RetryAfterAlias)
	}
	if clamp(&r.RetryAfter, r.bounds.MaxReset) {
		r.problem(field, TooLong)
	}
}

// isForAll is false for a wait that is for requests of some kinds: Sentry's, unless it
// refuses this one.
func (r *reader) isForAll(field string) bool {
	return !strings.EqualFold(field, "X-Sentry-Rate-Limits") || r.resp.StatusCode == http.StatusTooManyRequests
}

// finer is the finer one of two times to wait if they differ by a rounded second at most,
// else the longer one.
func finer(seconds, fine time.Duration) time.Duration {
	if seconds == Unknown || max(seconds, fine)-min(seconds, fine) <= time.Second {
		return fine
	}
	return max(seconds, fine)
}
