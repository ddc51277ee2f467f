package identity

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOriginIsShared(t *testing.T) {
	var origins Origins
	users := [2]Key{}
	for i := range users {
		users[i] = Key{Scheme: "https", Host: strings.Clone("api.example.com"), Credential: uint64(i)}
	}
	shared := origins.Of(&users[0])
	require.Same(t, shared, origins.Of(&users[1]))
	for _, k := range users {
		require.Equal(t, k, shared.Key(k.Credential))
	}
	other := Key{Scheme: "http", Host: "api.example.com"}
	require.Equal(t, Origin{"http", "api.example.com"}, *origins.Of(&other))
}

// Of returns the right Origin, even with more Origins than it remembers.
func TestManyOrigins(t *testing.T) {
	var origins Origins
	for range 2 {
		for i := range 10 * len(origins.recent) {
			k := Key{Scheme: "https", Host: fmt.Sprintf("host%d.example.com", i)}
			require.Equal(t, k, origins.Of(&k).Key(0))
		}
	}
}
