package suites_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// An overlay replaces files of a build: the file's path, and the path of the one to read instead.
type overlay map[string]string

//go:embed testdata/nethttp.go.txt
var places string

//go:embed testdata/hook.go.txt
var hookText string

// hook returns the file that is added to a package's tests.
func hook(name string) []byte { return []byte(strings.Replace(hookText, "PACKAGE", name, 1)) }

// changes has, for files of net/http, what is replaced by what. Each occurs once.
var changes = []struct{ file, from, to string }{
	{
		"roundtrip.go",
		"	return t.roundTrip(req)\n",
		"	if HeadwayAtTransport != nil {\n		return HeadwayAtTransport(bareTransport{t}).RoundTrip(req)\n	}\n	return t.roundTrip(req)\n",
	},
	{
		"client.go",
		"func (c *Client) transport() RoundTripper {\n",
		"func (c *Client) transport() RoundTripper {\n	if HeadwayAtClient != nil {\n		return HeadwayAtClient(c.bareTransport())\n	}\n	return c.bareTransport()\n}\n\nfunc (c *Client) bareTransport() RoundTripper {\n",
	},
}

// newOverlay makes a net/http in which headway can go to two places. Nothing that a program can see
// changes: a Client's Transport has the type that it had, and so has http.DefaultTransport.
func newOverlay(goroot, folder string) (overlay, error) {
	source := filepath.Join(goroot, "src", "net", "http")
	o := overlay{filepath.Join(source, "headway.go"): filepath.Join(folder, "headway.go")}
	if err := os.WriteFile(filepath.Join(folder, "headway.go"), []byte(places), 0o600); err != nil {
		return nil, err
	}
	for _, c := range changes {
		text, err := os.ReadFile(filepath.Join(source, c.file)) //nolint:gosec // a file of the standard library
		if err != nil {
			return nil, err
		}
		if n := strings.Count(string(text), c.from); n != 1 {
			return nil, fmt.Errorf("net/http/%s has %q %d times, not once", c.file, c.from, n)
		}
		o[filepath.Join(source, c.file)] = filepath.Join(folder, c.file)
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o600); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// write writes the file for go test -overlay, with more files.
func (o overlay) write(folder string, more overlay) (file string, err error) {
	all := maps.Clone(o)
	maps.Copy(all, more)
	text, err := json.Marshal(map[string]overlay{"Replace": all})
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, "overlay.json")
	return file, os.WriteFile(file, text, 0o600)
}
