package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

var (
	pageBlock = regexp.MustCompile("(?s)```text\n\\$ (.*?)\n(.*?)```\n")
	fromFile  = regexp.MustCompile(`^headway (inspect.*) < cmd/headway/(testdata/.*)$`)
	fromPrint = regexp.MustCompile(`^printf '(.*)' \| headway (inspect)$`)
)

// docs/inspect.md shows what its commands print, except that of a running server, whose times differ from run to run.
func TestPage(t *testing.T) {
	const name = "../../docs/inspect.md"
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	blocks := pageBlock.FindAllStringSubmatchIndex(string(page), -1)
	require.NotEmpty(t, blocks)
	written, end, checked := "", 0, 0
	for _, at := range blocks {
		command := string(page[at[2]:at[3]])
		args, input := commandOfPage(t, command)
		if args == nil {
			continue
		}
		checked++
		var out string
		synctest.Test(t, func(*testing.T) { // time stands still, so all numbers are exact
			out, _, _ = session{args: args, input: strings.NewReader(input)}.run()
		})
		if !*update {
			require.Equal(t, string(page[at[4]:at[5]]), out, "%s\nif this is meant: go test . -update", command)
		}
		written, end = written+string(page[end:at[4]])+out, at[5]
	}
	require.Equal(t, 4, checked, "the commands that were checked")
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(written+string(page[end:])), 0o644))
	}
}

// commandOfPage returns the arguments and the standard input of a command, or nil if it needs a server.
func commandOfPage(t *testing.T, command string) (args []string, input string) {
	t.Helper()
	if m := fromFile.FindStringSubmatch(command); m != nil {
		recording, err := os.ReadFile(m[2])
		require.NoError(t, err)
		return strings.Fields(m[1]), string(recording)
	}
	if m := fromPrint.FindStringSubmatch(command); m != nil {
		return strings.Fields(m[2]), strings.ReplaceAll(m[1], `\n`, "\n")
	}
	return nil, ""
}
