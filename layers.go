package headway

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// Unwrap returns the RoundTripper that sends the requests: Base, or http.DefaultTransport if Base is nil. Through it a
// Transport above finds this one's Base, see [Transport].
func (t *Transport) Unwrap() http.RoundTripper { return t.base() }

// self returns t, also from a type that embeds a Transport.
func (t *Transport) self() *Transport { return t }

// findBelow returns the Transport below t: its Base, or what Base wraps. It returns nil if there is none.
func (t *Transport) findBelow() *Transport {
	base := t.base()
	if below, ok := base.(interface{ self() *Transport }); ok {
		return below.self()
	}
	if layer, ok := base.(interface{ Unwrap() http.RoundTripper }); ok {
		if below, ok := layer.Unwrap().(interface{ self() *Transport }); ok {
			return below.self()
		}
	}
	return nil
}

// send passes a request to Base. If another Transport is below, it is to pass the request on. The response refers to the
// request without that mark.
func (t *Transport) send(req *http.Request) (*http.Response, error) {
	if t.core.below == nil {
		return t.base().RoundTrip(req)
	}
	o := optionsOf(req.Context())
	o.passer = t.core.below
	marked := req.WithContext(context.WithValue(req.Context(), optionsKey{}, &o))
	resp, err := t.base().RoundTrip(marked)
	if resp != nil && resp.Request == marked {
		resp.Request = req
	}
	return resp, err
}

// passOn sends a request that a Transport above paces. Only the Ceiling applies here, since it is over everything sent.
func (t *Transport) passOn(req *http.Request) (*http.Response, error) {
	if t.core.settings.Ceiling == nil || t.Shadow {
		return t.send(req)
	}
	ctx, called := req.Context(), t.core.settings.Clock.Now()
	maxWait := cmp.Or(optionsOf(ctx).maxWait, t.maxWait())
	refusal, err := t.take(req, called, maxWait)
	if refusal != nil || err != nil {
		closeBody(req)
	}
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return t.Refusal.refuse(req, newLimitError(ctx, &t.core.settings.Clock, nil, refusal, called, maxWait))
	}
	return t.send(req)
}

// take waits for a token of the Ceiling. No hook is called for such a wait, but the Logger has it if it is long.
func (t *Transport) take(req *http.Request, called pacer.Instant, maxWait time.Duration) (*gate.Wait, error) {
	var wait eventlog.Wait
	log := t.core.reporters.log
	defer log.End(&wait)
	return t.core.settings.Ceiling.Take(req, called, maxWait, func(w *gate.Wait) {
		log.Begin(req.Context(), &wait, nil, called, w)
	})
}

// VerdictOf says whether resp refuses its request because of a limit, and what helps: [validate.VerdictNever] means that
// waiting does not, as the account has no money left, see docs/refusals.md. Call it where a layer above a Transport, such as
// an SDK, gives up with a response:
//
//	resp, err := client.Do(req)
//	if err == nil && headway.VerdictOf(resp) == validate.VerdictNever {
//		return errors.New("somebody has to look at the account")
//	}
//
// It needs no Transport, and knows nothing of one's Profiles and Limits. It reads what a Transport reads of a response: the
// header and, of a refusal in JSON, up to 64 KiB of the Body for up to 250 ms. Whoever reads the Body afterwards gets all of
// it. If others have read it before, the header alone counts.
//
// A response that a Transport has made itself, see [Refused], has VerdictWait, or VerdictUnknown if LimitError.RetryAt is
// zero. A nil resp has VerdictNone.
func VerdictOf(resp *http.Response) validate.Verdict {
	if refused, isOurs := Refused(resp); isOurs {
		if refused.RetryAt.IsZero() {
			return validate.VerdictUnknown
		}
		return validate.VerdictWait
	}
	reading := validate.Response(resp, clock.Wall(), validate.Bounds{})
	if reading.WantsBody {
		req := cmp.Or(resp.Request, &http.Request{})
		ctx := context.WithoutCancel(req.Context()) // an SDK may have ended it, and kept the body
		replay.ReadRefusal(req.WithContext(ctx), resp, &reading)
	}
	return reading.Verdict
}

// CheckRetry returns a retry policy for a client above a Transport, in the form of hashicorp/go-retryablehttp. The policy
// does not retry what the Transport has refused, or has resent as often as it may: more attempts would only multiply. Nor
// does it retry what waiting does not help. Everything else is left to next, such as retryablehttp.DefaultRetryPolicy:
//
//	client := retryablehttp.NewClient()
//	client.HTTPClient.Transport = &headway.Transport{}
//	client.CheckRetry = headway.CheckRetry(retryablehttp.DefaultRetryPolicy)
//
// So the Transport alone deals with limits, and the client deals with broken connections and failing servers.
//
// Two outcomes are not retried: a *LimitError, and a response with a verdict, see [VerdictOf]. The caller gets either of
// them, and tells by VerdictOf which responses waiting helps. A 503 counts only if the request is idempotent, as a Transport
// resends no other, or if its verdict is VerdictNever. Profiles of the Transport, and its Limits, are not considered.
//
// next must not be nil. The policy is safe for concurrent use if next is. Do not use it above a Transport with Shadow or
// negative MaxRetries: then nobody would retry.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if _, isRefusal := errors.AsType[*LimitError](err); isRefusal {
			return false, nil
		}
		verdict := VerdictOf(resp)
		if verdict == validate.VerdictNone || verdict.IsRefusal() && resp.Request != nil && !replay.MayRepeat(resp.Request, resp.StatusCode) {
			return next(ctx, resp, err)
		}
		return false, nil // waiting does not help, or a Transport has resent it as often as it may
	}
}
