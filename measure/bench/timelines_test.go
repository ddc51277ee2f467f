package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A picture shows the timelines of all contenders, one below the other. Its job has windows that begin with the run.
type picture struct {
	file  string
	job   job
	slice time.Duration
	ticks float64 // seconds
}

func pictures() []picture {
	return []picture{
		{"bench.svg", alone(), 6 * time.Second, 60},
		{"bench-fleet.svg", shared(), 6 * time.Second, 120},
	}
}

// A timeline is the number of requests that arrived in each slice of time, for one contender or several with equal
// timelines.
type timeline struct {
	names            []string
	allowed, refused []int
	took             time.Duration
}

// timelines returns the timelines of the first runs.
func (p picture) timelines(c comparison) []timeline {
	var all []timeline
	for _, r := range c.results {
		a := r.played.Arrivals
		l := timeline{[]string{r.name}, a.Allowed().Slices(epoch, p.slice), a.Refused().Slices(epoch, p.slice), r.played.Took}
		if i := slices.IndexFunc(all, l.like); i >= 0 {
			all[i].names = append(all[i].names, r.name)
			continue
		}
		all = append(all, l)
	}
	return all
}

func (l timeline) like(other timeline) bool {
	return slices.Equal(l.allowed, other.allowed) && slices.Equal(l.refused, other.refused)
}

func (l timeline) caption(slice time.Duration) string {
	most, refused := 0, 0
	for i := range l.slices() {
		most = max(most, at(l.allowed, i)+at(l.refused, i))
		refused += at(l.refused, i)
	}
	return fmt.Sprintf("%s: %d refused, at most %d sent in %v s, finished after %v s",
		strings.Join(l.names, ", "), refused, most, slice.Seconds(), l.took.Round(time.Second/10).Seconds())
}

func (l timeline) slices() int { return max(len(l.allowed), len(l.refused)) }

// at returns the ith count; 0 after the last.
func at(counts []int, i int) int {
	if i < len(counts) {
		return counts[i]
	}
	return 0
}

// draw returns the picture as SVG.
func (p picture) draw(c comparison) string {
	s := &sketch{
		title: c.title(), slice: p.slice, ticks: p.ticks,
		key: []keyed{keyAllowed, keyRefused, {line: evenly, means: "what an even client sends"}, {granted, gap, "more than fits here"}, keyWindow},
	}
	all := p.timelines(c)
	for _, l := range all {
		s.lasts = max(s.lasts, time.Duration(l.slices())*p.slice)
	}
	for _, l := range all {
		share := s.even(c.policy, 1)
		// If the highest bars had to fit, evenly sent requests would be too small to see.
		top := 3 * share
		strip := s.strip(l.caption(s.slice), -top, top, -top, 0, top)
		strip.windows(c.policy.Window.Seconds())
		strip.columns(granted, l.allowed, 1)
		strip.columns(turned, l.refused, -1)
		strip.level(share)
	}
	return s.draw()
}
