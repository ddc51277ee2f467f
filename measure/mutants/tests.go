package main

import (
	"cmp"
	"fmt"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

var failure = regexp.MustCompile(`(?m)^(?:--- FAIL: |panic: test timed out|\trunning tests:\n\t)(\w*)`)

// listTests prints for each test of one suite how many changes of a room it finds, and how many no other test of the
// suite finds. A test that finds none alone may go, if it documents nothing. After a panic or a hang the tests that come later are not known.
func listTests(root string, room room, name string, everyNth, workers int) {
	dir, err := os.MkdirTemp("", "mutants")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	room.from = []string{name}
	if name == room.name {
		room.from = nil
	}
	changes, suites := build(root, dir, room)
	changes = nth(changes, everyNth)
	i := slices.IndexFunc(suites, func(s suite) bool { return strings.HasSuffix(s.folder, name) })
	if i < 0 {
		log.Fatalf("%s has no tests", name)
	}
	s := suites[i]
	failed := make([][]string, len(changes))
	each(len(changes), workers, func(i int) {
		if id := fmt.Sprint(changes[i].id); s.seen[id] {
			output, err := s.run(10*s.time+10*time.Second, "MUTANT="+id)
			if err != nil {
				for _, match := range failure.FindAllSubmatch(output, -1) {
					failed[i] = append(failed[i], string(match[1]))
				}
			}
		}
	})
	finds, alone := make(map[string]int), make(map[string]int)
	list, err := s.run(time.Minute, "MUTANT=", "-test.list", "^(Test|Fuzz|Example)")
	check(err)
	for test := range strings.FieldsSeq(string(list)) {
		finds[test] = 0
	}
	for _, tests := range failed {
		for _, test := range tests {
			finds[test]++
		}
		if len(tests) == 1 {
			alone[tests[0]]++
		}
	}
	fmt.Println("finds  alone  test")
	for _, test := range slices.SortedFunc(maps.Keys(finds), func(a, b string) int {
		return cmp.Or(alone[b]-alone[a], finds[b]-finds[a], strings.Compare(a, b))
	}) {
		fmt.Printf("%5d  %5d  %s\n", finds[test], alone[test], test)
	}
}
