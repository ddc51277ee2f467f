package validate

import "github.com/headway-go/headway/parse"

// cachedBy returns the name of the field that shows that the response comes from a cache; "" if there is
// none. A positive Age means that the origin server did not answer this request (RFC 9111 §5.1).
func cacheField(f *parse.Fields) string {
	switch {
	case f.Age > 0:
		return "Age"
	case f.FromCache:
		return "X-From-Cache"
	}
	return ""
}
