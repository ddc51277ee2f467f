package proxy

import (
	"net/http"
	"net/url"
	"strings"
)

// lead rewrites the URLs of the upstream in a response's header, so that they lead to the proxy: where a resource has
// moved (RFC 9110 §10.2.2, §8.7), and the pages of a list (RFC 8288). Otherwise a client that follows them would go past
// the proxy. URLs of other servers, and those in the content, stay as they are. base is the URL of the upstream as clients
// of the proxy write it.
func (u *upstream) lead(h http.Header, base string) {
	for _, name := range []string{"Location", "Content-Location"} {
		if text := h.Get(name); text != "" {
			h.Set(name, u.through(text, base))
		}
	}
	for i, list := range h["Link"] {
		h["Link"][i] = u.throughLinks(list, base)
	}
}

// throughLinks rewrites the targets of a Link field, which are between angle brackets.
func (u *upstream) throughLinks(list, base string) string {
	var b strings.Builder
	for {
		before, rest, isOpen := strings.Cut(list, "<")
		target, after, isClosed := strings.Cut(rest, ">")
		if !isOpen || !isClosed {
			b.WriteString(list)
			return b.String()
		}
		b.WriteString(before + "<" + u.through(target, base) + ">")
		list = after
	}
}

// through returns the URL by which clients of the proxy reach an absolute URL, or a path, of the upstream. Other URLs are
// returned as they are.
func (u *upstream) through(text, base string) string {
	ref, err := url.Parse(text)
	if err != nil {
		return text
	}
	isPath := ref.Host == "" && ref.Scheme == "" && strings.HasPrefix(text, "/")
	isOwn := strings.EqualFold(ref.Scheme, u.target.Scheme) && originHost(ref) == originHost(u.target) && ref.User == nil
	if !isPath && !isOwn {
		return text
	}
	root := strings.TrimSuffix(u.target.EscapedPath(), "/")
	path, isBelow := strings.CutPrefix(ref.EscapedPath(), root)
	if !isBelow || path != "" && !strings.HasPrefix(path, "/") {
		return text // beside the path of the upstream, where the proxy does not lead
	}
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		path += text[end:]
	}
	return base + path
}

// originHost is the host and port of a URL, in one spelling.
func originHost(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}
