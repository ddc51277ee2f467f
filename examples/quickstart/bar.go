package main

// A cell is one character of a bar.
type cell struct {
	as    style
	glyph rune
}

// The characters of the bars.
const (
	allowedMark = '█'
	refusedMark = '×'
)

// bar returns the cells of a bar, from bottom to top. A bar without refusals is exact to an eighth of a row.
// In a bar with refusals, both parts are whole rows.
func bar(s slice, perRow float64) []cell {
	if s.refused == 0 {
		return smoothBar(s.allowed, perRow)
	}
	var cells []cell
	for range parts(s.allowed, perRow) {
		cells = append(cells, cell{green, allowedMark})
	}
	for range parts(s.refused, perRow) {
		cells = append(cells, cell{red, refusedMark})
	}
	return cells
}

func smoothBar(n int, perRow float64) []cell {
	eighths := [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', allowedMark}
	var cells []cell
	for left := parts(n, perRow/8); left > 0; left -= 8 {
		cells = append(cells, cell{green, eighths[min(left, 8)-1]})
	}
	return cells
}

// parts returns how many parts of the given size n has, rounded, and at least 1 unless n is 0.
func parts(n int, size float64) int {
	if n == 0 {
		return 0
	}
	return max(int(float64(n)/size+0.5), 1)
}
