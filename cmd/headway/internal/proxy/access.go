package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// refusalOf returns the response to a request that the proxy does not take: it is for another server, a web page has made it, or
// it has no token. nil: the proxy takes it.
//
// The proxy is not one for all the web, so a request has a path and no URL. A page on the web can make a browser on this
// machine send requests to the proxy, even under a name of the page's own (DNS rebinding). So a proxy answers only to names of
// this machine and to the hosts that are configured, and not to pages of other sites. Only where other machines can reach it,
// and no hosts are configured, it does not know its names.
func (s *server) refusalOf(r *http.Request) *problem {
	knowsNames := !s.isExposed || len(s.hosts) > 0
	switch {
	case !strings.HasPrefix(r.RequestURI, "/"), r.Method == http.MethodConnect:
		return &problem{
			Title: "headway is no forward proxy", Status: http.StatusMisdirectedRequest,
			Detail: "Set the base URL of your client to the proxy's address, instead of HTTP_PROXY.",
		}
	case knowsNames && !s.answersTo(r.Host):
		return &problem{
			Title: "the proxy does not answer to this host name", Status: http.StatusMisdirectedRequest,
			Detail: "Use localhost or an address such as 127.0.0.1, or configure the name in hosts or as the host of an upstream.",
		}
	case knowsNames && s.isCrossSite(r):
		return &problem{Title: "the proxy does not answer to pages of other sites", Status: http.StatusForbidden}
	}
	return s.tokenProblem(r.Header[tokenField])
}

func (s *server) answersTo(host string) bool {
	host = hostname(host)
	return isLocal(host) || slices.Contains(s.hosts, host) ||
		slices.ContainsFunc(s.upstreams, func(u *upstream) bool { return u.Host != "" && u.Host == host })
}

// isCrossSite reports whether a page of another site has made the request. Browsers say so, and programs say neither.
func (s *server) isCrossSite(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	u, err := url.Parse(origin)
	return err != nil || !s.answersTo(u.Host)
}

// hostname is the name in a Host field, without the port and in lower case.
func hostname(host string) string {
	return strings.ToLower((&url.URL{Host: host}).Hostname())
}

// isLocal reports whether a name is one of this machine (RFC 6761 §6.3) or a loopback address.
func isLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// tokenField is the request field with the token. As all fields for the proxy, it does not reach an upstream.
const tokenField = fieldPrefix + "Token"

// leastToken is the number of characters that a token has at least.
const leastToken = 16

// A token is the hash of what a client sends to be let in. So all tokens have one length, and comparing them takes the same time
// for all that a client may try.
type token [sha256.Size]byte

// readTokens reads a file with one token a line. Errors do not show a token.
func readTokens(file string) ([]token, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err != nil {
		return nil, err
	}
	var all []token
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			continue
		case len(line) < leastToken || !isVisible(line):
			return nil, fmt.Errorf("each line of %s must be a token of at least %d visible ASCII characters", file, leastToken)
		}
		all = append(all, sha256.Sum256([]byte(line)))
	}
	if len(all) == 0 {
		return nil, errors.New(file + " has no token")
	}
	return all, nil
}

// isVisible reports whether a text is visible ASCII.
func isVisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// tokenProblem returns the response to a request whose Headway-Token fields do not let it in; nil: they do.
func (s *server) tokenProblem(fields []string) *problem {
	if len(s.tokens) == 0 || len(fields) == 1 && s.isToken(fields[0]) {
		return nil
	}
	return &problem{
		Status: http.StatusUnauthorized, Title: "the request has no token of this proxy",
		Detail: "Send it in one field " + tokenField + ". The proxy's token-file has it.",
	}
}

// isToken compares with all tokens, so that the time does not tell which one is similar.
func (s *server) isToken(text string) bool {
	given, found := sha256.Sum256([]byte(text)), 0
	for _, t := range s.tokens {
		found |= subtle.ConstantTimeCompare(given[:], t[:])
	}
	return found == 1
}
