package proxy

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

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
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	var dns *net.DNSError
	var op *net.OpError
	var network net.Error
	switch {
	case errors.Is(err, errLoop):
		return failedLoop, err.Error()
	case errors.As(err, &dns):
		return failedDNS, err.Error()
	case errors.As(err, &header):
		return failedTLS, "the upstream does not speak TLS"
	case errors.As(err, &certificate), errors.As(err, &alert):
		return failedTLS, err.Error()
	case isTimeout(err):
		return failedTimeout, err.Error()
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return failedConnect, err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errStatus),
		errors.Is(err, syscall.ECONNRESET), errors.As(err, &network):
		return failedBroken, err.Error()
	}
	return failedBroken, "the upstream's response is not HTTP or broke off, or a proxy on the way refused"
}
