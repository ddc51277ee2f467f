package headway

import (
	"context"
	"errors"
	"net/http"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/validate"
)

// mostLayers bounds how many RoundTrippers are unwrapped, for they may go in circles.
const mostLayers = 100

// Unwrap returns the RoundTripper that sends the requests, never nil, so that layers can find each other: see
// Transport.
func (t *Transport) Unwrap() http.RoundTripper { return t.base() }

// self returns t, also of a type that has it embedded.
func (t *Transport) self() *Transport { return t }

// findBelow looks for other Transports below this one. isLoop says that it is itself there.
func (t *Transport) findBelow() (found []http.RoundTripper, isLoop bool) {
	next := t.base()
	for range mostLayers {
		if layer, ok := next.(interface{ self() *Transport }); ok {
			other := layer.self()
			if isLoop = other == t; isLoop || other == nil {
				return found, isLoop
			}
			found = append(found, other)
		}
		wrapper, ok := next.(interface{ Unwrap() http.RoundTripper })
		if !ok {
			return found, false
		}
		if next = wrapper.Unwrap(); next == nil {
			return found, false
		}
	}
	return found, false
}

// send hands a request to Base, marked if another Transport may be below. Who called gets its own request back in the
// response.
func (t *Transport) send(req *http.Request) (*http.Response, error) {
	if len(t.core.below) == 0 || t.Shadow {
		return t.base().RoundTrip(req)
	}
	m := &mark{below: t.core.below}
	defer m.isEnded.Store(true)
	o := optionsOf(req.Context()).clone()
	o.mark = m
	marked := req.WithContext(context.WithValue(req.Context(), optionsKey{}, o))
	resp, err := t.base().RoundTrip(marked)
	if resp != nil && resp.Request == marked {
		resp.Request = req
	}
	return resp, err
}

// handOn sends a request that comes from a Transport above this one. The Ceiling is over all that is sent.
func (t *Transport) handOn(req *http.Request) (*http.Response, error) {
	if c := t.core.settings.Ceiling; c != nil && !t.Shadow {
		ctx, priority := req.Context(), 0
		if o := optionsOf(ctx); o != nil {
			priority = o.priority
		}
		refusal, err := c.Take(ctx, t.core.settings.Clock.Now(), t.maxWait(), priority)
		if refusal != nil || err != nil {
			closeBody(req)
		}
		switch {
		case err != nil:
			return nil, err
		case refusal != nil:
			return t.Refusal.refuse(req, newLimitError(&t.core.settings.Clock, nil, refusal))
		}
	}
	return t.base().RoundTrip(req)
}

// CheckRetry returns a policy for hashicorp/go-retryablehttp and others of that form, whose
// client stands above a Transport: a request that the Transport has refused, or sent
// again as often as it may, is not retried, for that would multiply the attempts and
// give no more. About everything else next decides, such as retryablehttp.DefaultRetryPolicy:
//
//	client := retryablehttp.NewClient()
//	client.HTTPClient.Transport = &headway.Transport{}
//	client.CheckRetry = headway.CheckRetry(retryablehttp.DefaultRetryPolicy)
//
// So the Transport alone deals with limits, and the client with broken connections and
// failing servers. Not retried are a *LimitError, and a response that refuses because of a
// limit as a Transport sees it (see RoundTrip), but for Profiles of its own and what only a
// body proves; a 503 only if the request is idempotent, as a Transport sends no other
// again. next must not be nil. The policy is safe for concurrent use if next is.
// Below it there should be neither a Shadow nor negative MaxRetries: then nobody retries.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if _, isRefusal := errors.AsType[*LimitError](err); isRefusal || resp != nil && isSettled(resp) {
			return false, nil
		}
		return next(ctx, resp, err)
	}
}

// isSettled reports whether a Transport has done about a response what can be done.
func isSettled(resp *http.Response) bool {
	reading := validate.Response(resp, clock.Wall(), validate.Bounds{})
	return reading.Throttled && (!replay.IsOverload(resp.StatusCode) || resp.Request == nil || replay.MayRepeat(resp.Request, resp.StatusCode))
}
