package interop_test

import (
	"fmt"
	"strings"
)

// bounds are the worst figures that headway may have.
type bounds struct {
	undone   float64 // calls of 100 that are not served; 0: none
	refused  float64 // requests, per 100 granted; 0: no bound
	finished float64 // over the even time; 0: no bound
}

// wanted returns the bounds that headway should meet. If a server reports its limit on success, headway
// should not run into it. Otherwise headway has to find the limit, and refusals are the only way.
func (s server) wanted() bounds {
	if s.reports {
		return bounds{refused: 1, finished: 1.1}
	}
	return bounds{finished: 1.3}
}

// missed lists the bounds that the figures do not meet.
func (f figures) missed(b bounds) []string {
	var missed []string
	if f.undone() > b.undone {
		missed = append(missed, fmt.Sprintf("%.0f of %.0f calls were served", f.served, f.calls))
	}
	if b.refused > 0 && f.refused > b.refused {
		missed = append(missed, fmt.Sprintf("refused %.1f per 100 granted, bound %v", f.refused, b.refused))
	}
	if b.finished > 0 && f.finished > b.finished {
		missed = append(missed, fmt.Sprintf("finished after %.2f of the even time, bound %v", f.finished, b.finished))
	}
	return missed
}

// String returns the bounds as a cell of the report.
func (b bounds) String() string {
	cells := []string{"all done"}
	if b.refused > 0 {
		cells = append(cells, fmt.Sprintf("refused ≤ %v", b.refused))
	}
	if b.finished > 0 {
		cells = append(cells, fmt.Sprintf("÷ even ≤ %v", b.finished))
	}
	return strings.Join(cells, ", ")
}
