package proxy

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/headway-go/headway/internal/identity"
)

// rewriteLinks rewrites the URLs of the upstream in a response's header, so that they lead to the proxy: where a resource has
// moved (RFC 9110 §10.2.2, §8.7), and the pages of a list (RFC 8288). Otherwise a client that follows them would go past
// the proxy, as it would with Alt-Svc (RFC 7838). URLs of other servers, and those in the content, stay as they are. base is the URL of the upstream as clients
// of the proxy write it.
func (u *upstream) rewriteLinks(h http.Header, base string) {
	h.Del("Alt-Svc")
	for _, name := range []string{"Location", "Content-Location"} {
		if text := h.Get(name); text != "" {
			h.Set(name, u.proxyURL(text, base))
		}
	}
	for i, list := range h["Link"] {
		h["Link"][i] = u.rewriteLinkField(list, base)
	}
}

// linkParts are the targets of a Link field, which are between angle brackets, and quoted strings, in which there are none.
var linkParts = regexp.MustCompile(`"(?:\\.|[^"\\])*"?|<[^>]*>`)

// rewriteLinkField rewrites the targets of a Link field.
func (u *upstream) rewriteLinkField(list, base string) string {
	return linkParts.ReplaceAllStringFunc(list, func(part string) string {
		if part[0] == '<' {
			return "<" + u.proxyURL(part[1:len(part)-1], base) + ">"
		}
		return part
	})
}

// proxyURL returns the URL by which clients of the proxy reach a URL of the upstream. A path stays as it is if it is
// relative. A URL of another server, or beside the path of the upstream, is returned whole: with only a part of it, the
// client would look for it at the proxy.
func (u *upstream) proxyURL(text, base string) string {
	ref, err := url.Parse(text)
	isRelative := err == nil && ref.Scheme == "" && ref.Host == "" && !strings.HasPrefix(text, "/")
	if err != nil || isRelative || ref.Opaque != "" {
		return text
	}
	whole := u.target.ResolveReference(ref)
	path, isOurs := u.pathBelow(whole)
	switch {
	case !isOurs && ref.Scheme == "":
		return whole.String()
	case !isOurs:
		return text
	}
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		path += text[end:]
	}
	return base + path
}

// pathBelow returns the path of a URL below that of the upstream; false if the URL is of another server, or beside it.
func (u *upstream) pathBelow(whole *url.URL) (path string, isBelow bool) {
	path, isBelow = strings.CutPrefix(whole.EscapedPath(), strings.TrimSuffix(u.target.EscapedPath(), "/"))
	isBelow = isBelow && (path == "" || strings.HasPrefix(path, "/"))
	return path, isBelow && originOf(whole) == originOf(u.target) && whole.User == nil
}

// isBelow reports whether the path of a request stays below that of the upstream, however a server reads it: as it is or without
// its escapes and parameters, with a backslash for a slash, and with empty segments or without. Where the upstream has no path, all is below.
func (u *upstream) isBelow(r *http.Request) bool {
	if strings.Trim(u.target.Path, "/") == "" {
		return true
	}
	depth := 0
	isSlash := func(c rune) bool { return c == '/' || c == '\\' }
	for segment := range strings.FieldsFuncSeq(strings.TrimPrefix(r.URL.Path, u.Path), isSlash) {
		switch name, _, _ := strings.Cut(segment, ";"); name { // some servers take parameters off
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return false
		}
	}
	return true
}

// originOf is the scheme, host and port of a URL, in one spelling.
func originOf(u *url.URL) identity.Key {
	return identity.Key{Scheme: u.Scheme, Host: u.Host}.Normalized()
}
