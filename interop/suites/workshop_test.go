package suites_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A workshop has what all suites share: a folder for copies, and net/http with places for headway.
type workshop struct {
	folder   string
	checkout string // the root module of this repository
	goroot   string
	overlay  overlay
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	goroot, err := output(t.Context(), ".", "go", "env", "GOROOT")
	require.NoError(t, err)
	w := &workshop{folder: t.TempDir(), checkout: checkout, goroot: strings.TrimSpace(goroot)}
	w.overlay, err = newOverlay(w.goroot, w.folder)
	require.NoError(t, err)
	return w
}

// A copied suite is ready to be compiled.
type copied struct {
	suite   *suite
	folder  string // for all that belongs to the suite
	pkg     string // the folder of its package
	work    string // its go.work
	overlay string // the file for go test -overlay
}

// errMissing is the error for a module that cannot be had.
var errMissing = errors.New("missing")

// copy fetches a module and copies it. What is added to the package under test is overlaid, so that the copy serves later
// runs too.
func (w *workshop) copy(ctx context.Context, s *suite) (*copied, error) {
	c := &copied{suite: s, folder: filepath.Join(w.folder, strings.ReplaceAll(s.module, "/", "_"))}
	if err := os.MkdirAll(c.folder, 0o750); err != nil {
		return nil, err
	}
	c.work = filepath.Join(c.folder, "go.work")
	modules := []string{w.checkout}
	if s.module == "std" {
		c.pkg = filepath.Join(w.goroot, "src", s.folder)
	} else {
		module, err := w.module(ctx, s)
		if err != nil {
			return nil, err
		}
		c.pkg = filepath.Join(module, s.folder)
		modules = append(modules, module)
	}
	if err := writeWork(c.work, modules...); err != nil {
		return nil, err
	}
	added, err := c.added()
	if err != nil {
		return nil, err
	}
	c.overlay, err = w.overlay.write(c.folder, added)
	return c, err
}

// module returns the folder of a copy of a module. It stays in the user's cache, so that a later run compiles less:
// for go the folder is a part of what it compiles.
func (w *workshop) module(ctx context.Context, s *suite) (string, error) {
	source, err := download(ctx, s.module+"@"+s.version)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = w.folder
	}
	module := filepath.Join(cache, "headway-suites", s.module+"@"+s.version)
	if _, err := os.Stat(module); err == nil {
		return module, nil
	}
	if err := os.MkdirAll(filepath.Dir(module), 0o750); err != nil {
		return "", err
	}
	half, err := os.MkdirTemp(filepath.Dir(module), "half")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(half, os.DirFS(source)); err != nil {
		return "", err
	}
	if err := os.Rename(half, module); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return module, nil
}

// added returns the file that puts headway in place, and takes away the test files that are not kept. The file is in
// the external test package: so the package under test is compiled once, whatever becomes of headway.
func (c *copied) added() (overlay, error) {
	tests, err := filepath.Glob(filepath.Join(c.pkg, "*_test.go"))
	if err != nil {
		return nil, err
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%w: there are no tests in %s", errMissing, c.pkg)
	}
	added := filepath.Join(c.folder, "zz_headway_test.go")
	o := overlay{filepath.Join(c.pkg, "zz_headway_test.go"): added}
	for _, test := range tests {
		if c.suite.keep != "" && c.suite.keep != filepath.Base(test) {
			o[test] = "" // as if it were not there
		}
	}
	return o, os.WriteFile(added, hook(c.suite.name+"_test"), 0o600)
}

// writeWork writes a go.work, so that the suite's go.mod stays as it is.
func writeWork(file string, modules ...string) error {
	text := "go 1.26.0\n"
	for _, module := range modules {
		text += "use " + module + "\n"
	}
	return os.WriteFile(file, []byte(text), 0o600)
}

// download fetches a module and returns its folder.
func download(ctx context.Context, module string) (folder string, err error) {
	text, err := output(ctx, ".", "go", "mod", "download", "-json", module)
	var told struct{ Dir, Error string }
	if wrong := json.Unmarshal([]byte(text), &told); wrong != nil {
		return "", errors.Join(errMissing, err, wrong)
	}
	if told.Error != "" {
		return "", fmt.Errorf("%w: %s", errMissing, told.Error)
	}
	return told.Dir, err
}

// output runs a command and returns what it prints. If it fails the error has what it has printed as an error.
func output(ctx context.Context, folder, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	text, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w\n%s", name, err, failed.Stderr)
	}
	return string(text), err
}
