package gate

import (
	"context"
	"errors"
	"net/http"
)

// ErrCanceled says that a request's Cancel channel was closed. Its text is that of the error of net/http's Transport, with
// which callers compare it. It is a context.Canceled.
var ErrCanceled error = canceledError{errors.New("net/http: request canceled")}

type canceledError struct{ error }

// Is makes errors.Is treat a request that Cancel has ended like one that its context has ended.
func (canceledError) Is(target error) bool { return target == context.Canceled }

// CancelOf returns the channel that ends the request as its context does; nil for nearly all requests.
func CancelOf(req *http.Request) <-chan struct{} {
	return req.Cancel //nolint:staticcheck // deprecated, but a RoundTripper still obeys it
}

// Ended returns why a request is not to be sent any more: the cause of its context's end, or ErrCanceled if cancel is
// closed. It returns nil while neither has happened. cancel may be nil.
func Ended(ctx context.Context, cancel <-chan struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if cancel != nil {
		select {
		case <-cancel:
			return ErrCanceled
		default:
		}
	}
	return nil
}
