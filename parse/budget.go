package parse

import "strings"

// Budgets for one field of one response. A field that exceeds one is ignored
// with an Error that wraps ErrTooLong, ErrTooMany or ErrDigits. Where RFC 9651
// §3 says how much a parser has to support, that much is supported.
const (
	MaxFieldLength = 64 << 10 // bytes of all field lines together
	MaxLines       = 128      // field lines
	MaxMembers     = 1024     // members of a list or dictionary
	MaxParameters  = 256      // parameters of one item or inner list
	MaxText        = 1024     // bytes of a name, a unit or a partition key
	MaxDigits      = 100      // digits of a number outside of structured fields
	MaxNamed       = 64       // limits told by fields with names of their own; those after them are ignored
)

// separator joins field lines (RFC 9110 §5.3).
const separator = ", "

// join returns the value that lines stand for together. One line, the normal
// case, is returned as it is.
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
