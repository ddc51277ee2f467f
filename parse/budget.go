package parse

import "strings"

// Budgets for one field of one response. A field that exceeds a budget is ignored, and reported as an
// Error that wraps ErrTooLong, ErrTooMany or ErrDigits. No budget is below the minimum that RFC 9651 §3
// requires of a parser.
const (
	MaxFieldLength = 64 << 10 // bytes of all lines of a field together
	MaxLines       = 128      // lines of a field
	MaxMembers     = 1024     // members of a list or dictionary
	MaxParameters  = 256      // parameters of one item or inner list
	MaxText        = 1024     // bytes of a name, a unit or a partition key
	MaxDigits      = 100      // digits of a number outside of structured fields
	MaxNamed       = 64       // limits in Fields.Named, and waits in Fields.NamedWaits; any further ones are ignored
)

// separator joins the lines of a field (RFC 9110 §5.3).
const separator = ", "

// join returns the lines of a field as one value. A single line, the usual case, is returned without a copy.
func join(lines []string) (string, error) {
	if err := withinBudget(lines); err != nil {
		return "", err
	}
	if len(lines) == 1 {
		return lines[0], nil
	}
	return strings.Join(lines, separator), nil
}

func withinBudget(lines []string) error {
	if len(lines) > MaxLines {
		return ErrTooMany
	}
	total := 0
	for _, line := range lines {
		total += len(line)
		if total > MaxFieldLength {
			return ErrTooLong
		}
	}
	return nil
}
