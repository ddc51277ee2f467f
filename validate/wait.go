package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// wait reads Retry-After and the related fields. The longest wait counts. A finer field counts if Retry-After is the same
// wait, rounded; a field that servers send instead of Retry-After only if there is no other one. Retry-After-<name> counts
// on an error. All the names were violated then, unless a longer wait may be because of another limit.
func (r *reader) wait(waits []parse.Wait) {
	var longest parse.Wait
	var violated []string
	for i := range waits {
		w := &waits[i]
		isKnown := r.RetryAfter != Unknown
		if w.Kind == parse.WaitInstead && isKnown && longest.Kind != w.Kind ||
			w.Kind == parse.WaitNamed && r.resp.StatusCode < http.StatusBadRequest {
			continue
		}
		d := r.delay(w.Field, &w.When)
		if d != Unknown && w.Kind == parse.WaitNamed {
			violated = append(violated, w.Label)
		}
		isRounded := w.Kind == parse.WaitUsual && isKnown && d-r.RetryAfter <= time.Second
		if d >= r.RetryAfter && !isRounded {
			r.RetryAfter, longest = d, *w
		}
	}
	if longest.Kind == parse.WaitNamed {
		r.Violated = violated
	}
	r.problemIf(clamp(&r.RetryAfter, r.bounds.MaxReset), longest.Field, TooLong)
}
