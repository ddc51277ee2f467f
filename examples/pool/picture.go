package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// slice is the time that one column of the picture stands for.
const slice = 500 * time.Millisecond

const columns = int(end / slice)

// A result is where the requests went.
type result struct {
	keys   []*key
	begun  time.Time
	failed int // requests of which the program has seen an error or a refusal
}

// picture has a bar for each slice of time, one line for each key.
func (r *result) picture() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Requests served in each %v s, from 16 workers with more to send.  × denied with status 401\n\n", slice.Seconds())
	for _, k := range r.keys {
		fmt.Fprintf(&out, "%-6s %2d per %v s  %s\n", k.name, k.quota, window.Seconds(), bars(r.counts(k.server.Arrivals().Allowed()), r.counts(k.denied)))
	}
	line := []rune(strings.Repeat("─", columns))
	line[revoked/slice], line[valid/slice] = '┴', '┴'
	fmt.Fprintf(&out, "%18s└%s\n", "", string(line))
	fmt.Fprintf(&out, "%18s%-*s%-*svalid again\n", "", int(revoked/slice)+1, "0 s", int((valid-revoked)/slice), "revoked")
	return out.String()
}

// bars draws a number as the height of a bar; 16 is the highest.
func bars(served, denied []int) string {
	heights := []rune(" ▁▂▃▄▅▆▇█")
	var line strings.Builder
	for i, n := range served {
		switch {
		case denied[i] > 0:
			line.WriteRune('×')
		default:
			line.WriteRune(heights[min((n+1)/2, 8)])
		}
	}
	return strings.TrimRight(line.String(), " ")
}

func (r *result) counts(arrivals ratelimittest.Arrivals) []int {
	counts := make([]int, columns)
	copy(counts, arrivals.Slices(r.begun, slice))
	return counts
}

// table has the figures of each key.
func (r *result) table() string {
	var out strings.Builder
	row := func(label string, of func(*key) string) {
		fmt.Fprintf(&out, "%-34s", label)
		for _, k := range r.keys {
			fmt.Fprintf(&out, "%10s", of(k))
		}
		out.WriteString("\n")
	}
	row("", func(k *key) string { return k.name })
	row("served", func(k *key) string { return fmt.Sprint(len(k.server.Arrivals().Allowed())) })
	row("part of its rate that was used", func(k *key) string { return fmt.Sprintf("%.2f", r.used(k)) })
	row("refused because of the limit", func(k *key) string { return fmt.Sprint(len(k.server.Arrivals().Refused())) })
	row("denied, and served by another key", func(k *key) string { return fmt.Sprint(len(k.denied)) })
	fmt.Fprintf(&out, "\nrefusals and errors that the program has seen: %d\n", r.failed)
	return out.String()
}

// used is the part of the quota that was used while the key was valid.
func (r *result) used(k *key) float64 {
	time := end
	if len(k.denied) > 0 {
		time -= valid - revoked
	}
	return float64(len(k.server.Arrivals().Allowed())) / (float64(k.quota) * time.Seconds() / window.Seconds())
}
