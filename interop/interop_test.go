package interop_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/headway-go/headway/validate"
)

// runs begin at different moments of a window.
const runs = 3

func inProcess() []server {
	var all []server
	for _, group := range [][]server{httprates(), ulules(), throttleds(), tollbooths(), fibers(), echoes(), redisRates()} {
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

func TestLoopback(t *testing.T) {
	for _, s := range append(nginxes(), haproxies()...) {
		t.Run(s.name, func(t *testing.T) {
			profiles := [][]validate.Profile{nil}
			if strings.HasSuffix(s.name, "503") {
				profiles = append(profiles, []validate.Profile{{Host: "127.0.0.1", Statuses: []int{503}}})
			}
			var mu sync.Mutex
			var lines []string
			t.Run("all", func(t *testing.T) {
				for _, l := range loads() {
					for i, p := range profiles {
						for _, c := range []client{paced, plain} {
							if i > 0 && c.name == plain.name {
								continue
							}
							t.Run(fmt.Sprint(l.name, c.name, i), func(t *testing.T) {
								t.Parallel()
								f := s.overHTTP(t, l, c, p)
								mu.Lock()
								defer mu.Unlock()
								lines = append(lines, fmt.Sprintf("%-16s %-12s %d profiles %v", l.name, c.name, i, f))
							})
						}
					}
				}
			})
			slices.Sort(lines)
			t.Log("\n" + strings.Join(lines, "\n"))
		})
	}
}
