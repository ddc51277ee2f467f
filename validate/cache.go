package validate

import "github.com/headway-go/headway/parse"

// cachedBy returns the name of the field that shows that a response comes from
// a cache, "" if none does. A positive Age means that the origin did not answer
// this very request (RFC 9111 §5.1).
func cachedBy(f *parse.Fields) string {
	switch {
	case f.Age > 0:
		return "Age"
	case f.FromCache:
		return "X-From-Cache"
	}
	return ""
}
