package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// At run time headway imports two modules besides itself and the standard library. Both are really used.
func TestDependencies(t *testing.T) {
	const root = "../../.."
	used := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			isModule := path != root && len(must(filepath.Glob(filepath.Join(path, "go.mod")))) > 0
			isTest := strings.HasPrefix(path, filepath.Join(root, "internal", "test")) || entry.Name() == "seriestest"
			if isModule || isTest {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, one := range file.Imports {
			name, err := strconv.Unquote(one.Path.Value)
			require.NoError(t, err)
			if host, _, _ := strings.Cut(name, "/"); strings.Contains(host, ".") && !strings.HasPrefix(name, "github.com/headway-go/headway") {
				used[name] = true
			}
		}
		return nil
	}))
	require.Equal(t, map[string]bool{"golang.org/x/time/rate": true, "github.com/cenkalti/backoff/v4": true}, used)
}

// must returns what a function returns that cannot fail here.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
