package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that is named beside a room is there.
func TestMapNamesFiles(t *testing.T) {
	rooms := docPart(t, "CONTRIBUTING.md", "\n## Map\n", "\n### Who may name whom\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	found := 0
	for row := range strings.Lines(rooms) {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		for _, file := range quoted.FindAllStringSubmatch(cells[2], -1) {
			if ext := filepath.Ext(file[1]); ext != ".go" && ext != ".lua" {
				continue
			}
			isThere := exists(file[1])
			for _, room := range quoted.FindAllStringSubmatch(cells[1], -1) {
				isThere = isThere || exists(filepath.Join(room[1], file[1]))
			}
			require.True(t, isThere, "%s is not in a room of: %s", file[1], row)
			found++
		}
	}
	require.Greater(t, found, 20)
}

func exists(file string) bool {
	_, err := os.Stat(filepath.Join(root, file))
	return err == nil
}
