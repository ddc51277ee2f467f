package interop_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
)

// An audited server is one of which headway audit has made reports.
type audited struct {
	server
	mu       sync.Mutex
	findings []finding // guarded by mu: of all reports, those with the same check and verdict once
}

type finding struct{ ID, Verdict, Text string }

// moments returns when audits of a server begin. What it tells wrongly may show at some moments of a second or a window.
func moments() []time.Duration {
	if *write {
		return []time.Duration{0, 370 * time.Millisecond, 21300 * time.Millisecond}
	}
	return []time.Duration{0}
}

// misleading has the checks of headway audit that may find something misleading, by server. Some depend on the moment of
// a second or of a window in which the audit begins.
func misleading() map[string][]string {
	return map[string][]string{
		"httprate":                                           {"end", "agreement"},
		"httprate, RateLimit-*":                              {"reset", "agreement"},
		"httprate, 10 per second":                            {"end", "agreement"},
		"ulule/limiter, 100-M":                               {"end"},
		"ulule/limiter, 10-S":                                {"end"},
		"throttled, 20 per minute, burst 5":                  {"end", "agreement"},
		"throttled, 100 per minute, burst 99":                {"end", "agreement"},
		"fiber, sliding window":                              {"retry"},
		"redis_rate, 100 per minute, its guide's middleware": {"retry"},
		"redis_rate, 10 per second, its guide's middleware":  {"retry"},
		"redis_rate, 100 per minute, with reset":             {"end", "agreement"},
		"sethvargo/go-limiter":                               {"end", "retry"},
		"nginx, limit_req, 503":                              {"refusal"},
		"nginx, limit_req burst=10 nodelay, 503":             {"refusal"},
	}
}

// TestAudits runs headway audit on limiters that real services run: on those with a window of at most two seconds, or to
// write docs/figures/audits.md on all.
func TestAudits(t *testing.T) {
	if kit.IsBrief() {
		t.Skip("it takes seconds")
	}
	program := filepath.Join(t.TempDir(), "headway")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../cmd/headway", "-o", program, ".")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	var all []*audited
	for _, s := range slices.Concat(handlers(), installed(t)) {
		if *write || s.window <= 2*time.Second {
			all = append(all, &audited{server: s})
		}
	}
	var running sync.WaitGroup
	for _, s := range all {
		for _, moment := range moments() {
			url := s.serve(t)
			running.Go(func() {
				time.Sleep(moment)
				s.audit(t, program, url)
			})
		}
	}
	running.Wait()
	for _, s := range all {
		var found []string
		for _, f := range s.findings {
			if f.Verdict == "misleading" {
				found = append(found, f.ID)
			}
		}
		assert.Subset(t, misleading()[s.name], found, "%s: %v", s.name, s.findings)
		if s.name == "nginx, limit_req, 503" { // at any moment, and any speed of the machine
			assert.Equal(t, misleading()[s.name], found, "%s: %v", s.name, s.findings)
		}
	}
	if *write {
		require.False(t, t.Failed(), "nothing is written")
		require.Len(t, installed(t), len(processes()), "nothing is written without all servers")
		writeAudits(t, all)
	}
}

// audit runs the program. Its exit codes 1 and 4 are about the server, and no failure.
func (s *audited) audit(t *testing.T, program, url string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program, "audit", "-json", "-beyond", "-n", "150", "-rate", "50", "-max-wait", "90s", url).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && (exit.ExitCode() == 4 || exit.ExitCode() == 1) {
		err = nil
	}
	var report struct{ Findings []finding }
	if err == nil {
		err = json.Unmarshal(output, &report)
	}
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range report.Findings {
		if !slices.ContainsFunc(s.findings, func(other finding) bool { return other.ID == f.ID && other.Verdict == f.Verdict }) {
			s.findings = append(s.findings, f)
		}
	}
}

// writeAudits writes the page.
func writeAudits(t *testing.T, all []*audited) {
	t.Helper()
	layout, err := template.ParseFiles("testdata/audits.md.tmpl")
	require.NoError(t, err)
	table := [][]string{{"server", "fields", "kind, as seen", "what misleads clients", "what they cannot know"}}
	count := 0
	for _, s := range all {
		row := []string{s.name, s.texts("", "fields"), s.texts("true", "kind"), s.texts("misleading", ""), s.texts("not told", "policy", "remaining", "reset", "retry", "errors")}
		if row[3] != "" {
			count++
		}
		table = append(table, row)
	}
	var b strings.Builder
	require.NoError(t, layout.Execute(&b, map[string]any{"Table": page.Table(table), "All": len(all), "Misleading": count}))
	folder, err := page.Figures()
	require.NoError(t, err)
	require.NoError(t, folder.Write("audits.md", b.String()))
}

// texts joins what these checks have found, or all, with a verdict, or with any.
func (s *audited) texts(verdict string, ids ...string) string {
	var texts []string
	for _, f := range s.findings {
		if (verdict == "" || f.Verdict == verdict) && (ids[0] == "" || slices.Contains(ids, f.ID)) {
			text := f.Text
			if ids[0] == "" {
				text = "**" + f.ID + "** " + text
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ". ")
}
