package trial_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// The work of each client.
const (
	requests = 40
	atOnce   = 8
)

// python is Debian's, which has its packages.
const python = "/usr/bin/python3"

// A client is a program that makes all calls, and says how many of them failed.
type client struct {
	name string // with its version
	job  string // in Markdown

	arguments func(url string) []string // the command line
	count     func(t *testing.T, output string) tally
}

// A tally is how a client's calls went.
type tally struct{ Calls, Failed int }

// A kind is a client that may not be installed.
type kind struct {
	name string
	// find returns the client. It skips the test if a tool is missing.
	find func(t *testing.T) client
}

// kinds are all clients. folder returns where the packages of Node are.
func kinds(folder func(t *testing.T) string) []kind {
	return []kind{
		{"curl", curl},
		{"requests", pythonRequests},
		{"fetch", fetch},
		{"octokit", func(t *testing.T) client {
			t.Helper()
			return onNode(t, folder(t), "@octokit/rest", "octokit.mjs", "", requests/pagesOfList, fmt.Sprintf("%d lists of %d pages by `paginate`", requests/pagesOfList, pagesOfList))
		}},
		{"openai without retries", func(t *testing.T) client {
			t.Helper()
			return onNode(t, folder(t), "openai", "openai.mjs", "no-retries", requests, "`chat.completions`, half of them streamed, `maxRetries: 0`")
		}},
		{"openai", func(t *testing.T) client {
			t.Helper()
			return onNode(t, folder(t), "openai", "openai.mjs", "", requests, "the same with its own two retries")
		}},
	}
}

func curl(t *testing.T) client {
	t.Helper()
	path := child.Need(t, required, "install Debian's package", "curl")
	return client{
		name: "curl " + version(t, path, "--version"), job: fmt.Sprintf("`--parallel --parallel-max %d`", atOnce),
		arguments: func(url string) []string {
			return []string{
				path, "--silent", "--show-error", "--parallel", "--parallel-max", strconv.Itoa(atOnce),
				"--output", "/dev/null", "--write-out", `%{http_code}\n`, fmt.Sprintf("%s/items/[1-%d]", url, requests),
			}
		},
		count: func(_ *testing.T, output string) tally {
			statuses := strings.Fields(output)
			return tally{len(statuses), len(statuses) - strings.Count(output, "200\n")}
		},
	}
}

func pythonRequests(t *testing.T) client {
	t.Helper()
	if exec.CommandContext(t.Context(), python, "-c", "import requests").Run() != nil {
		child.Missing(t, required, "requests for "+python, "install Debian's python3-requests")
	}
	return client{
		name: "Python's requests " + version(t, python, "-c", "import requests; print(requests.__version__)"), job: "a pool of threads",
		arguments: func(url string) []string { return withSizes(python, "testdata/pool.py", url, requests) },
		count:     readTally,
	}
}

func fetch(t *testing.T) client {
	t.Helper()
	path := child.Need(t, required, "install Debian's nodejs, 20 or newer", "node")
	return client{
		name: "`fetch` of Node " + version(t, path, "--version"), job: "`Promise.all`",
		arguments: func(url string) []string { return withSizes(path, "testdata/node/fetch.mjs", url, requests) },
		count:     readTally,
	}
}

// onNode returns a client that is a package for Node and a script in the folder. option is the script's last argument.
func onNode(t *testing.T, folder, name, script, option string, calls int, job string) client {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", name, "package.json"))
	require.NoError(t, err)
	var installed struct{ Version string }
	require.NoError(t, json.Unmarshal(text, &installed))
	return client{
		name: fmt.Sprintf("`%s` %s", name, installed.Version), job: job,
		arguments: func(url string) []string {
			return append(withSizes(child.Find("node"), filepath.Join(folder, script), url, calls), option)
		},
		count: readTally,
	}
}

// packages returns a function that installs the packages of testdata/node, and returns the folder. It does so once, and
// outside of the repository.
func packages(t *testing.T) func(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "node")
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/node")))
	npm, problem := child.Find("npm"), ""
	if npm != "" && child.Find("node") != "" {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		install := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir, install.WaitDelay = folder, time.Second
		if output, err := install.CombinedOutput(); err != nil {
			problem = fmt.Sprintf("npm ci fails: %v\n%s", err, output)
		}
	} else {
		problem = "install Debian's nodejs and npm, 20 or newer"
	}
	return func(t *testing.T) string {
		t.Helper()
		if problem != "" {
			child.Missing(t, required, "package for Node", problem)
		}
		return folder
	}
}

// withSizes is the command line of a script.
func withSizes(program, script, url string, calls int) []string {
	return []string{program, script, url, strconv.Itoa(calls), strconv.Itoa(atOnce)}
}

// readTally reads what a script prints.
func readTally(t *testing.T, output string) (count tally) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(output), &count), output)
	return count
}

// version returns the first version number that a program prints.
func version(t *testing.T, path string, arguments ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), path, arguments...).CombinedOutput()
	require.NoError(t, err, string(output))
	return regexp.MustCompile(`\d+\.\d+(\.\d+)?`).FindString(string(output))
}
