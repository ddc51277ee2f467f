package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// wait reads Retry-After and the related fields.
func (r *reader) wait(f *parse.Fields) {
	r.waitForAll(f)
	if r.resp.StatusCode >= http.StatusBadRequest {
		r.waitForNamed(f.NamedWaits)
	}
}

// waitForNamed reads Retry-After-<name>: the longest wait counts, and all these policies were violated. A
// longer Retry-After may be because of another limit, so Violated is then left unset.
func (r *reader) waitForNamed(waits []parse.NamedWait) {
	longest, field := time.Duration(Unknown), ""
	var violated []string
	for i := range waits {
		w := &waits[i]
		if d := r.retryDelay(w.Field, &w.Wait); d != Unknown {
			violated = append(violated, w.Label)
			if d > longest {
				longest, field = d, w.Field
			}
		}
	}
	if clamp(&longest, r.bounds.MaxReset) {
		r.problem(field, TooLong)
	}
	if longest >= r.RetryAfter {
		r.RetryAfter, r.Violated = longest, violated
	}
}

// waitForAll reads the waits that are not for a limit with a name.
func (r *reader) waitForAll(f *parse.Fields) {
	if f.RetryAfter.Form == parse.Absent && f.RetryAfterFine.Form == parse.Absent && f.RetryAfterAlias.Form == parse.Absent {
		return
	}
	field := "Retry-After"
	r.RetryAfter = r.retryDelay(field, &f.RetryAfter)
	if fine := r.delay(f.FineName, &f.RetryAfterFine); fine != Unknown {
		if r.RetryAfter = combineWaits(r.RetryAfter, fine); r.RetryAfter == fine {
			field = f.FineName
		}
	}
	if r.RetryAfter == Unknown {
		field = f.AliasName
		r.RetryAfter = r.retryDelay(field, &f.RetryAfterAlias)
	}
	if clamp(&r.RetryAfter, r.bounds.MaxReset) {
		r.problem(field, TooLong)
	}
}

// combineWaits returns the finer one of two waits if they differ by at most a rounded second, else the longer one.
func combineWaits(seconds, fine time.Duration) time.Duration {
	if seconds == Unknown || max(seconds, fine)-min(seconds, fine) <= time.Second {
		return fine
	}
	return max(seconds, fine)
}
