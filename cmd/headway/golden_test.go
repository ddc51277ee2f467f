package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the program prints now into testdata")

// TestGolden inspects recorded responses in each usual dialect, and in all other situations that the report
// covers. For NAME.http the expected output is in NAME.txt and NAME.json.
func TestGolden(t *testing.T) {
	rows := []struct {
		name  string
		flags []string
		exit  int
	}{
		{name: "draft10"},
		{name: "draft07"},
		{name: "cost"},
		{name: "github", flags: []string{"-host", "api.github.com"}},
		{name: "secondary", flags: []string{"-host", "api.github.com"}},
		{name: "openai"},
		{name: "anthropic"},
		{name: "kong"},
		{name: "envoy"},
		{name: "concurrent"},
		{name: "refused"},
		{name: "shared"},
		{name: "noclock"},
		{name: "silent", exit: exitNothing},
		{name: "unknown", exit: exitNothing},
		{name: "unlimited", exit: exitNothing},
		{name: "cached", exit: exitIgnored},
		{name: "hostile", exit: exitIgnored},
	}
	forms := []struct {
		extension string
		flags     []string
	}{
		{extension: "txt"},
		{extension: "json", flags: []string{"-json"}},
	}
	recorded, err := filepath.Glob("testdata/*.http")
	require.NoError(t, err)
	require.Len(t, rows, len(recorded), "each recording has a row")
	for _, x := range rows {
		for _, form := range forms {
			t.Run(x.name+"."+form.extension, func(t *testing.T) {
				recording, err := os.ReadFile(filepath.Join("testdata", x.name+".http"))
				require.NoError(t, err)
				args := append(append([]string{"inspect"}, form.flags...), x.flags...)
				var (
					out, errs string
					code      int
				)
				synctest.Test(t, func(*testing.T) { // time stands still, so all numbers are exact
					out, errs, code = session{args: args, input: strings.NewReader(string(recording))}.run()
				})
				require.Empty(t, errs)
				require.Equal(t, x.exit, code)
				requireGolden(t, filepath.Join("testdata", x.name+"."+form.extension), out)
			})
		}
	}
}

func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "if this is meant: go test . -update")
}
