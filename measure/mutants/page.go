package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// row is the row of a room in the page.
func (r *result) row(root string) string {
	seen := len(r.changes) - r.unseen
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %.0f %% | %.0f %% | %d |", r.title(), r.nth, len(r.changes), r.found, len(r.lived), r.unseen,
		percent(r.found, seen), percent(seen, len(r.changes)), testLines(filepath.Join(root, r.name)))
}

func (r *room) title() string { return cmp.Or(r.name, "the root") }

func percent(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

// testLines counts the lines of a package's own tests.
func testLines(folder string) (lines int) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		lines += strings.Count(string(text), "\n")
	}
	return lines
}

const head = `# Mutants: how many faults the tests find

The code is changed in many places, one at a time: a comparison is negated, ` + "`<` becomes `<=`" + ` (not between
two fractions that vary, which are equal by chance only), ` + "`+` becomes `-`" + `, a condition is negated. *Found* are the changes for which a test fails or hangs: the package's own tests, or the suites that see it from
outside. *Lives* are those that no test finds, and *not run* those that no test runs. Some changes that live change nothing, such
as a bound that no number meets.

This page is written by ` + "`measure/run mutants`" + `, in some hours; ` + "`cd measure && go run ./mutants -write internal/gate`" + `
measures one package anew, and names the changes that live. With ` + "`-nth 5`" + ` only every fifth change is made: see the column *every*.

| package | every | changes | found | lives | not run | found of those run | run | lines of its own tests |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
`

// writePage writes the rows of the rooms that were measured, and keeps those of others.
func writePage(root string, results []result) error {
	file := filepath.Join(root, "docs", "figures", "mutants.md")
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	page := strings.Builder{}
	page.WriteString(head)
	for _, room := range rooms {
		i := slices.IndexFunc(results, func(r result) bool { return r.name == room.name })
		if i >= 0 {
			page.WriteString(results[i].row(root) + "\n")
			continue
		}
		for line := range strings.Lines(string(before)) {
			if strings.HasPrefix(line, "| "+room.title()+" |") {
				page.WriteString(line)
			}
		}
	}
	return os.WriteFile(file, []byte(page.String()), 0o600)
}
