package validate

import (
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/parse"
)

// wait reads Retry-After and its kin.
func (r *reader) wait(f *parse.Fields) {
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
