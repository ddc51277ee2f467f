package headway

import "net/http"

// mostLayers bounds how many RoundTrippers are unwrapped, for they may go in circles.
const mostLayers = 100

// Unwrap returns the RoundTripper that sends the requests, never nil, so that
// layers can find each other: see Transport.
func (t *Transport) Unwrap() http.RoundTripper { return t.base() }

// takeOver has the Transports below this one hand their requests on: if two held and
// resent the same request, each would wait for what the other does, and their resends
// would multiply. A shadow does neither, and so leaves it to them.
func (t *Transport) takeOver() {
	below := t.base()
	for range mostLayers {
		if other, ok := below.(*Transport); ok {
			if other == t {
				t.loops = true
				return
			}
			if !t.Shadow {
				other.inner.Store(true)
			}
		}
		wrapper, ok := below.(interface{ Unwrap() http.RoundTripper })
		if !ok {
			return
		}
		if below = wrapper.Unwrap(); below == nil {
			return
		}
	}
}
