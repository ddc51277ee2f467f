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

// signsJSON has the signs of refusals that no other service uses in another meaning, so that they count for all hosts.
//
//go:embed signs.json
var signsJSON []byte

// everywhere returns the signs of signsJSON. They have no Statuses.
//
//nolint:gochecknoglobals // a table, which never changes
var everywhere = sync.OnceValue(func() []Sign {
	all, err := ReadProfiles([]byte(`{"host": "*", "signs": ` + string(signsJSON) + `}`))
	if err != nil {
		panic(err) // TestBuiltInProfiles reads them
	}
	signs := all[0].Signs
	for i := range signs {
		signs[i].isGeneral = true
	}
	return signs
})

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

// domainOf returns the last two labels of a host in lower case, without a port and the root's dot. Of an IPv6 address it
// returns what is no domain.
func domainOf(host string) string {
	host, _, _ = strings.Cut(host, ":")
	host = strings.TrimSuffix(host, ".")
	above := strings.LastIndexByte(host[:max(strings.LastIndexByte(host, '.'), 0)], '.')
	return strings.ToLower(host[above+1:])
}
