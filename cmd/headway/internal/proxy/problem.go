package proxy

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/headway-go/headway"
)

// A problem is a response of the proxy itself, in the form of RFC 9457.
type problem struct {
	Type   string `json:"type,omitempty"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Source string `json:"source"` // always "headway proxy", so that nobody blames the upstream

	// These say why a request was not sent, see headway.LimitError.
	Violated []string      `json:"violated-policies,omitempty"`
	Cause    headway.Cause `json:"cause,omitempty"`
	Wait     float64       `json:"wait,omitempty"` // seconds

	// Error is Title and Detail where SDKs of language models look for what to show.
	Error struct {
		Message string `json:"message"`
	} `json:"error"`

	retryAfter int  // seconds; 0: not known
	isLast     bool // the connection is closed behind the response
}

// quotaExceeded is the problem type of draft-ietf-httpapi-ratelimit-headers-10 for a used-up quota.
const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

// refusal returns the response to a request that would wait too long. X-Should-Retry keeps the SDKs that know it from
// asking again at once.
func refusal(e *headway.LimitError) *problem {
	p := &problem{
		Type: quotaExceeded, Title: "headway did not send this request, since it would wait too long", Status: http.StatusTooManyRequests,
		Detail: detail(e), Cause: e.Cause, Wait: seconds(e.Wait),
	}
	if e.Policy != "" {
		p.Violated = []string{e.Policy}
	}
	if !e.RetryAt.IsZero() {
		p.retryAfter = max(1, int(math.Ceil(e.Wait.Seconds())))
	}
	return p
}

// detail says what the request would wait for, and what the client can do.
func detail(e *headway.LimitError) string {
	what := "It would wait"
	if !e.RetryAt.IsZero() {
		what += " " + e.Wait.Round(time.Millisecond).String()
	}
	what += ", because of: " + string(e.Cause)
	if e.Policy != "" {
		what += fmt.Sprintf(" of policy %q", e.Policy)
	}
	return what + ". Allow a longer " + maxWaitField + " or -max-wait, or send fewer requests at once."
}

// errStopping is the cause of the end of all requests that the proxy does not finish when it stops.
var errStopping = errors.New("the proxy stops")

func stopping() *problem {
	return &problem{Title: "headway proxy stops", Status: http.StatusServiceUnavailable, retryAfter: 1, isLast: true}
}

// statusClientGone is nginx's status for a request whose client has closed the connection. Mostly nobody reads the response.
const statusClientGone = 499

// problemOf returns the response for an error of an upstream, or of the client.
func problemOf(ctx context.Context, err error) *problem {
	limit, isLimit := errors.AsType[*headway.LimitError](err)
	content, isContent := errors.AsType[*contentError](err)
	switch {
	case isLimit:
		return refusal(limit)
	case errors.Is(context.Cause(ctx), errStopping):
		return stopping()
	case isContent: // net/http ends the context of such a request
		return content.problem()
	case ctx.Err() != nil:
		return &problem{Title: "the client has closed the connection", Status: statusClientGone}
	case isTimeout(err):
		return &problem{Title: "the upstream did not answer in time", Status: http.StatusGatewayTimeout}
	}
	p := &problem{Title: "the upstream cannot be reached", Status: http.StatusBadGateway, Detail: "The log of the proxy has the reason."}
	if errors.Is(err, errLoop) {
		p.Title = "the upstream is this proxy itself"
	}
	return p
}

// problem returns the response to a client whose request could not be read to its end.
func (e *contentError) problem() *problem {
	if errors.Is(e.err, os.ErrDeadlineExceeded) {
		return &problem{Title: "the content of the request came too slowly", Status: http.StatusRequestTimeout, isLast: true}
	}
	return &problem{Title: "the content of the request cannot be read", Status: http.StatusBadRequest, isLast: true}
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// answer answers a request whose content nobody has read. net/http would wait for the content before it responds, unless
// the connection ends with the response.
func (p *problem) answer(w http.ResponseWriter, r *http.Request) {
	p.isLast = p.isLast || r.ContentLength != 0
	p.write(w)
}

// write writes the response.
func (p *problem) write(w http.ResponseWriter) {
	p.Source = "headway proxy"
	p.Error.Message = strings.TrimSuffix(p.Title+". "+p.Detail, ". ")
	text, _ := json.Marshal(p) // of plain types, so it cannot fail
	h := w.Header()
	h.Set("Content-Type", "application/problem+json; charset=utf-8") // without charset octokit shows no text
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	if p.Status == http.StatusUnauthorized { // RFC 9110 §15.5.2 asks for it
		h.Set("WWW-Authenticate", tokenField)
	}
	if p.Status == http.StatusTooManyRequests {
		h.Set("X-Should-Retry", "false")
	}
	if p.isLast {
		h.Set("Connection", "close")
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(text, '\n')) // fails if the client is gone
}

// seconds is d as a number for logs.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// errStatus is the reason for a response with a status that HTTP does not have.
var errStatus = errors.New("proxy: the status of the response has not three digits")

// errLoop is the reason for an upstream whose address is the proxy's own. Its requests would go round for ever.
var errLoop = errors.New("proxy: the upstream's address is that of the proxy itself")

// Why an upstream failed, as the log and the metrics say it.
const (
	failedConnect = "connect" // nothing takes connections at its address
	failedDNS     = "dns"
	failedTLS     = "tls"
	failedTimeout = "timeout"
	failedBroken  = "broken" // what came is no HTTP, or not all of a response
	failedLoop    = "loop"
)

// failureOf says why an upstream failed, in a word and at length. The reason does not repeat what an
// upstream has sent, which may be long and secret.
func failureOf(err error) (kind, reason string) {
	var op *net.OpError
	switch {
	case errors.Is(err, errLoop):
		return failedLoop, err.Error()
	case isA[*net.DNSError](err):
		return failedDNS, err.Error()
	case isA[tls.RecordHeaderError](err):
		return failedTLS, "the upstream does not speak TLS"
	case isA[*tls.CertificateVerificationError](err), isA[tls.AlertError](err):
		return failedTLS, err.Error()
	case isTimeout(err):
		return failedTimeout, err.Error()
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return failedConnect, err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errStatus),
		errors.Is(err, syscall.ECONNRESET), isA[net.Error](err):
		return failedBroken, err.Error()
	}
	return failedBroken, "the upstream's response is not HTTP or broke off, or a proxy on the way refused"
}

func isA[T error](err error) bool {
	_, is := errors.AsType[T](err)
	return is
}
