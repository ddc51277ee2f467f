package identity

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// All processes make the same names, as those of snapshots are: what is drawn when a process starts is in none of them.
func TestNames(t *testing.T) {
	const inDefault, inChosen = true, false
	for _, row := range []struct {
		name      string
		isDefault bool // else Transport.Partition has chosen a name with the default one in it
		url       string
		fields    []string
		want      Name
		shown     string
	}{
		{"an origin", inDefault, testURL, nil, "5a64f3f4d420f3cb236656db1a7a4840", "https://api.example.com"},
		{"a credential", inDefault, testURL, []string{"Authorization", "Bearer one"}, "17d464e6758111a2ffb9509ba48dae3a", "https://api.example.com#51c80e65156c535b"},
		{"two credentials", inDefault, testURL, []string{"Authorization", "Bearer one", "X-Api-Key", "key"}, "047ac020fec6a74a2b7e7d0c9780cdb7", "https://api.example.com#85ef3e1e096a4394"},
		{"user information", inDefault, "https://me:one@api.example.com/things", nil, "1d642876ef8cbc36083a834c7833ebb6", "https://api.example.com#4328af89d236a195"},
		{"chosen", inChosen, testURL, nil, "22ef6dc089e07145ed02175f5cc68960", "https://api.example.com /things"},
		{"chosen, with a credential", inChosen, testURL, []string{"Authorization", "Bearer one"}, "f1e81dcd46348cb0c3c97da4148098bf", "https://api.example.com#51c80e65156c535b /things"},
	} {
		t.Run(row.name, func(t *testing.T) {
			req := request(t, row.url, row.fields...)
			key := Default(req)
			if !row.isDefault {
				key = Key{Host: nameOf(req) + " " + req.URL.Path}
			}
			require.Equal(t, row.want, NameKey("secret").Partition(key, req))
			require.Equal(t, row.shown, NameKey("secret").Shown(key, req))
		})
	}
}

func TestNamesOfOneClient(t *testing.T) {
	name := func(secret string, req *http.Request) Name {
		return NameKey(secret).Partition(Default(req), req)
	}
	want := name("secret", request(t, testURL, "X-Api-Key", "a", "X-Token", "b"))
	require.Equal(t, want, name("secret", request(t, testURL, "X-Token", "b", "X-Api-Key", "a")), "a header has no order")
	require.Equal(t, want, name("secret", request(t, "HTTPS://API.Example.com:443/other?query", "x-token", "b", "x-api-key", "a")))
	require.NotEqual(t, want, name("another", request(t, testURL, "X-Api-Key", "a", "X-Token", "b")))
	require.NotEqual(t, want, name("secret", request(t, testURL, "X-Api-Key", "b", "X-Token", "a")))
}
