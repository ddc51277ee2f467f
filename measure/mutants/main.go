package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"
)

// A room is a package whose code is changed, and the packages whose tests are to find that, besides its own.
type room struct {
	name string // "": the root
	from []string
}

// outside are the suites that see the whole from outside.
var outside = []string{
	"internal/test/contract", "internal/test/waits", "internal/test/refusals", "internal/test/costs", "internal/test/observing",
	"internal/test/routes", "internal/test/restarts", "internal/test/fleets", "internal/test/services", "internal/test/hostile",
}

var rooms = []room{
	{"parse", []string{"validate", "fuzz"}},
	{"validate", []string{"internal/test/services", "fuzz"}},
	{"pacer", append([]string{"internal/test/pacing", "fuzz"}, outside...)},
	{"pacer/internal/limit", append([]string{"pacer", "fuzz"}, outside...)},
	{"pacer/internal/refusal", append([]string{"pacer"}, outside...)},
	{"pacer/internal/route", append([]string{"pacer"}, outside...)},
	{"pacer/internal/cost", append([]string{"pacer"}, outside...)},
	{"pacer/internal/arrival", []string{"pacer"}},
	{"internal/gate", append([]string{""}, outside...)},
	{"internal/replay", append([]string{""}, outside...)},
	{"internal/registry", append([]string{""}, outside...)},
	{"internal/identity", append([]string{""}, outside...)},
	{"internal/snapshot", outside},
	{"internal/share", outside},
	{"internal/eventlog", outside},
	{"internal/body", outside},
	{"fleet", nil}, // a module
	{"", outside},
	{"ratelimittest", []string{"internal/meter"}},
	{"internal/meter", []string{"ratelimittest"}},
	{"internal/memhttp", []string{"ratelimittest"}},
	{"internal/series", nil},
	{"debug", nil},
	{"pool", nil},
}

// A suite is the test binary of one package, built with the changes.
type suite struct {
	folder, binary string
	seen           map[string]bool // changes that it runs
	time           time.Duration   // without a change
}

type result struct {
	room
	nth           int // every nth change was made
	changes       []change
	found, unseen int
	lived         []change
}

func main() {
	log.SetFlags(0)
	write := flag.Bool("write", false, "write docs/figures/mutants.md")
	everyNth := flag.Int("nth", 1, "make only every nth change")
	tests := flag.String("tests", "", "instead, list for each test of this `package` how many changes it finds, and how many it alone finds")
	workers := flag.Int("workers", 2, "how many test binaries run at once")
	flag.Usage = func() {
		_, _ = fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./mutants [flags] [package...], such as parse or internal/gate; \".\" is the root")
		flag.PrintDefaults()
	}
	flag.Parse()
	root, err := filepath.Abs("..")
	check(err)
	var results []result
	for _, room := range rooms {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), room.name) && (room.name != "" || !slices.Contains(flag.Args(), ".")) {
			continue
		}
		if *tests != "" {
			listTests(root, room, *tests, *everyNth, *workers)
			continue
		}
		results = append(results, measure(root, room, *everyNth, *workers))
	}
	if *write {
		check(writePage(root, results))
	}
}

// measure runs the tests against each change of a room.
func measure(root string, room room, everyNth, workers int) result {
	dir, err := os.MkdirTemp("", "mutants")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	changes, suites := build(root, dir, room)
	changes = nth(changes, everyNth)
	r := result{room: room, nth: everyNth, changes: changes}
	isFound := make([]bool, len(changes))
	each(len(changes), workers, func(i int) { isFound[i] = finds(suites, changes[i]) })
	for i, c := range changes {
		switch id := fmt.Sprint(c.id); {
		case !slices.ContainsFunc(suites, func(s suite) bool { return s.seen[id] }):
			r.unseen++
			fmt.Printf("not run  %s %s\n", c.place, c.what)
		case isFound[i]:
			r.found++
		default:
			r.lived = append(r.lived, c)
			fmt.Printf("lives    %s %s\n", c.place, c.what)
		}
	}
	fmt.Println(r.row(root))
	return r
}

// nth returns every nth change.
func nth(changes []change, n int) (some []change) {
	for i := 0; i < len(changes); i += n {
		some = append(some, changes[i])
	}
	return some
}

// each calls do with all numbers below n, with several at once.
func each(n, workers int, do func(int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range workers {
		all.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

// build builds the suites of a room with all changes, and runs each of them once.
func build(root, dir string, room room) ([]change, []suite) {
	loaded, err := packages.Load(&packages.Config{
		Dir: filepath.Join(root, room.name), Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, ".") // in its folder, as a room may be a module of its own
	check(err)
	r := rewriter{pkg: loaded[0], root: root}
	overlay, err := r.rewrite(dir)
	check(err)
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	check(err)
	list := filepath.Join(dir, "overlay.json")
	check(os.WriteFile(list, text, 0o600))
	var suites []suite
	for i, name := range append([]string{room.name}, room.from...) {
		s := suite{folder: filepath.Join(root, name), binary: filepath.Join(dir, fmt.Sprint(i, ".test")), seen: make(map[string]bool)}
		command := exec.Command("go", "test", "-vet=off", "-c", "-overlay", list, "-o", s.binary, ".")
		command.Dir = s.folder
		if output, err := command.CombinedOutput(); err != nil {
			log.Fatalf("%s\n%s", name, output)
		}
		if _, err := os.Stat(s.binary); err != nil {
			continue // it has no tests
		}
		s.firstRun(filepath.Join(dir, "seen"))
		suites = append(suites, s)
	}
	own := min(1, len(suites))
	slices.SortStableFunc(suites[own:], func(a, b suite) int { return int(a.time - b.time) })
	return r.changes, suites
}

// firstRun runs the suite without a change. It notes which changes it would run, and how long it takes.
func (s *suite) firstRun(seen string) {
	begun := time.Now()
	if output, err := s.run(10*time.Minute, "MUTANT_SEEN="+seen); err != nil {
		log.Fatalf("%s fails without a change: %v\n%s", s.folder, err, output)
	}
	s.time = time.Since(begun)
	text, err := os.ReadFile(seen)
	if !errors.Is(err, os.ErrNotExist) {
		check(err)
	}
	_ = os.Remove(seen)
	for id := range strings.FieldsSeq(string(text)) {
		s.seen[id] = true
	}
}

// finds reports whether a suite finds a change. One whose tests take far longer than without it does.
func finds(suites []suite, c change) bool {
	id := fmt.Sprint(c.id)
	return slices.ContainsFunc(suites, func(s suite) bool {
		if !s.seen[id] {
			return false
		}
		_, err := s.run(10*s.time+10*time.Second, "MUTANT="+id, "-test.failfast")
		return err != nil
	})
}

func (s *suite) run(atMost time.Duration, variable string, flags ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), atMost)
	defer cancel()
	// A change may make a loop allocate for ever.
	flags = append(flags, "-test.short", "-test.skip", "Alloc", "-test.timeout", atMost.String())
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 6000000; exec "$0" "$@"`, s.binary}, flags...)...)
	command.Dir = s.folder
	command.Env = append(os.Environ(), variable)
	return command.CombinedOutput()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
