package suites_test

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
)

// A suite is the tests of one package of a module, and what is known about them.
type suite struct {
	module  string // its path; "std" for the standard library
	version string // "" for the standard library
	folder  string // of the package in the module; "": the module's root
	name    string // in the package clause of what is tested
	only    string // an expression for the tests that are run; "": all
	keep    string // the only test file that is compiled; "": all
	isSlow  bool   // it takes minutes, so .ci/run leaves it out
	known   []difference
}

// A difference is a test that passes without headway, and not with it, for a good reason.
type difference struct {
	test   string  // with all that is in it
	at     []place // nil: at all
	hangs  bool    // it would end the whole run, so it is run alone
	varies bool    // it passes with headway now and then
	reason string
}

// A place is where headway goes; "": nowhere.
type place string

const (
	atTransport place = "transport" // in each http.Transport: between all layers and the connections
	atClient    place = "client"    // beneath each http.Client: above all layers, such as a test's own RoundTripper
	resending   place = "resending" // at the transport, and it resends what was refused; elsewhere it resends nothing
)

// path returns the import path of the package.
func (s *suite) path() string {
	return strings.Trim(strings.TrimPrefix(s.module, "std")+"/"+s.folder, "/")
}

// release returns the version of the module, or of go.
func (s *suite) release() string { return cmp.Or(s.version, runtime.Version()) }

// judge returns the differences at a place that are not listed, and the listed ones that are none any more.
func (s *suite) judge(at place, differ []string) (unlisted, stale []string) {
	matched := map[string]bool{}
	for _, name := range differ {
		i := slices.IndexFunc(s.known, func(d difference) bool {
			return d.isAt(at) && (name == d.test || strings.HasPrefix(name, d.test+"/"))
		})
		if i < 0 {
			unlisted = append(unlisted, name)
			continue
		}
		matched[s.known[i].test] = true
	}
	for _, d := range s.known {
		if d.isAt(at) && !d.varies && !matched[d.test] {
			stale = append(stale, d.test)
		}
	}
	return unlisted, stale
}

// isAt reports whether a difference is expected at a place.
func (d difference) isAt(at place) bool { return len(d.at) == 0 || slices.Contains(d.at, at) }

// hanging returns an expression for the tests that hang with headway at a place; "" if there are none.
func (s *suite) hanging(at place) string {
	var names []string
	for _, d := range s.known {
		if d.hangs && d.isAt(at) {
			names = append(names, exactly(d.test))
		}
	}
	return strings.Join(names, "|")
}
