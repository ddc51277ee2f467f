package kit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// Each row of the page's table has the name of a test that is there.
func TestRequireRowsTested(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "page.md")
	const table = "| what | then |\n| --- | --- |\n| it fails | it says so |"
	require.NoError(t, os.WriteFile(page, []byte("# Page\n\n## When something goes wrong\n\n"+table+"\n\n## More\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "x_test.go"), []byte("package x\n\nfunc TestIt(t *testing.T) {}\n"), 0o600))
	kit.RequireRowsTested(t, page, map[string][]string{"it fails": {"TestIt"}}, folder)
	for name, wrong := range map[string]map[string][]string{
		"a row without a test":       {},
		"a test without a row":       {"it fails": {"TestIt"}, "it works": {"TestIt"}},
		"a test that is not written": {"it fails": {"TestOther"}},
	} {
		t.Run(name, func(t *testing.T) {
			tb := &recorder{TB: t}
			require.True(t, tb.fails(func() { kit.RequireRowsTested(tb, page, wrong, folder) }))
		})
	}
}

// A recorder notes that a test has failed, and ends it with a panic.
type recorder struct {
	testing.TB
	hasFailed bool
}

func (*recorder) Errorf(string, ...any) {}

func (r *recorder) FailNow() {
	r.hasFailed = true
	panic("failed")
}

// fails reports whether f fails the recorder's test.
func (r *recorder) fails(f func()) (failed bool) {
	r.hasFailed = false
	defer func() {
		_ = recover() // of FailNow
		failed = r.hasFailed
	}()
	f()
	return r.hasFailed
}
