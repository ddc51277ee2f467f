package parse

import (
	"net/http"
	"strings"
)

// ExactNames returns the names in the tables, in lower case, and Prefixes the beginnings of names.
func ExactNames() (names []string) {
	for name := range exactNames {
		if name == strings.ToLower(name) {
			names = append(names, name)
		}
	}
	return names
}

func Prefixes() (all []string) {
	for _, p := range prefixes {
		all = append(all, p.prefix)
	}
	return all
}

// HeaderWithoutFastWay is [Header] without readUsual.
func HeaderWithoutFastWay(h http.Header) (f Fields) {
	f.readAny(Find(h, nil))
	return f
}
