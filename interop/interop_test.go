package interop_test

import (
	"testing"
)

// runs begin at different moments of a window.
const runs = 3

func inProcess() []server {
	var all []server
	for _, group := range [][]server{httprates(), ulules()} {
		all = append(all, group...)
	}
	return all
}

func TestInterop(t *testing.T) {
	for _, s := range inProcess() {
		t.Run(s.name, func(t *testing.T) {
			for _, l := range loads() {
				for _, c := range []client{paced, plain} {
					var all []figures
					for run := range runs {
						all = append(all, s.inVirtualTime(t, l, c, run))
					}
					t.Logf("%-16s %-12s %v", l.name, c.name, mean(all))
				}
			}
		})
	}
}
