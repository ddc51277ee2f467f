package validate

import (
	_ "embed"
	"strings"
	"sync"
)

// profilesJSON has the profiles of services that document what their responses leave out. Of several profiles for one
// domain, the first one that applies to host and path is used.
//
//go:embed profiles.json
var profilesJSON []byte

// builtIn returns the profiles of profilesJSON by domain.
//
//nolint:gochecknoglobals // a table, which never changes
var builtIn = sync.OnceValue(func() map[string][]Profile {
	all, err := ReadProfiles(profilesJSON)
	if err != nil {
		panic(err) // TestBuiltInProfiles reads them
	}
	domains := make(map[string][]Profile)
	for i := range all {
		domain := domainOf(all[i].Host)
		domains[domain] = append(domains[domain], *all[i].compiled())
	}
	return domains
})

// domainOf returns the last two labels of a host in lower case, without a port and the root's dot. It is called for each
// response: one loop takes half the time that functions of package strings take.
func domainOf(host string) string {
	begin, end, dots, isUpper := len(host), len(host), 0, false
	for ; begin > 0; begin-- {
		switch c := host[begin-1]; {
		case c == ':' || c == '.' && begin == end: // an IPv6 address is no domain
			end = begin - 1
		case c == '.':
			dots++
		case 'A' <= c && c <= 'Z':
			isUpper = true
		}
		if dots == 2 {
			break
		}
	}
	if isUpper {
		return strings.ToLower(host[begin:end])
	}
	return host[begin:end]
}
