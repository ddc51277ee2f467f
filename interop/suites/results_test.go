package suites_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// results are what the tests of one run have ended with, by the test's name.
type results map[string]*result

// A result is how a test has ended.
type result struct {
	outcome string // pass, fail or skip; "": it has not ended
	text    strings.Builder
}

// readResults reads what go tool test2json prints.
func readResults(r io.Reader) (results, error) {
	all := results{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all.add(line)
	}
}

// add adds one line. Lines that are not of test2json are ignored: a suite may print what it likes.
func (r results) add(line []byte) {
	var event struct{ Action, Test, Output string }
	if json.Unmarshal(line, &event) != nil || event.Test == "" {
		return
	}
	if r[event.Test] == nil {
		r[event.Test] = &result{}
	}
	switch event.Action {
	case "pass", "fail", "skip":
		r[event.Test].outcome = event.Action
	case "output":
		r[event.Test].text.WriteString(event.Output)
	}
}

// passes reports whether a test has passed.
func (r results) passes(name string) bool { return r[name] != nil && r[name].outcome == "pass" }

// count returns how many tests have passed, and how many have passed or failed.
func (r results) count() (passed, all int) {
	for _, one := range r {
		switch one.outcome {
		case "pass":
			passed++
			all++
		case "fail", "":
			all++
		}
	}
	return passed, all
}

// output returns the end of what a test has printed.
func (r results) output(name string) string {
	if r[name] == nil {
		return "it was not run"
	}
	const most = 2000
	text := r[name].text.String()
	return text[max(0, len(text)-most):]
}

// differences returns the tests that pass in r and not in with, without those that only contain such a test.
func (r results) differences(with results) []string {
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if r.passes(name) && !with.passes(name) {
			differ = append(differ, name)
		}
	}
	return slices.DeleteFunc(differ, func(name string) bool {
		return slices.ContainsFunc(differ, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
}

// TestDifferences holds what counts as a difference.
func TestDifferences(t *testing.T) {
	without, err := readResults(strings.NewReader(`{"Action":"run","Test":"A"}
no line of test2json
{"Action":"pass","Test":"A"}
{"Action":"pass","Test":"B/one"}
{"Action":"pass","Test":"B"}
{"Action":"fail","Test":"C"}
{"Action":"skip","Test":"D"}
{"Action":"pass","Test":"E"}
`))
	require.NoError(t, err)
	with, err := readResults(strings.NewReader(`{"Action":"pass","Test":"A"}
{"Action":"output","Test":"B/one","Output":"it is late"}
{"Action":"fail","Test":"B/one"}
{"Action":"fail","Test":"B"}
{"Action":"fail","Test":"C"}
{"Action":"fail","Test":"D"}
`))
	require.NoError(t, err)
	require.Equal(t, []string{"B/one", "E"}, without.differences(with))
	require.Equal(t, "it is late", with.output("B/one"))
	require.Equal(t, "it was not run", with.output("E"))
	passed, all := without.count()
	require.Equal(t, []int{4, 5}, []int{passed, all})

	s := suite{known: []difference{{test: "B", reason: "is known"}, {test: "F", reason: "is no difference any more"}, {test: "E", at: []place{atClient}, reason: "elsewhere"}}}
	unlisted, stale := s.judge(atTransport, []string{"B/one", "E"})
	require.Equal(t, []string{"E"}, unlisted)
	require.Equal(t, []string{"F"}, stale)
}
