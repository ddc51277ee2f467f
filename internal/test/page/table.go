package page

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// widest is the most characters by which a cell widens its column. Longer cells stick out.
const widest = 44

// Table returns a table in Markdown whose first row is the head. Columns of numbers are flush right. It does not end
// with a line feed. All rows have as many cells as the head.
func Table(rows [][]string) string {
	columns := make([]column, len(rows[0]))
	for i := range columns {
		columns[i] = columnOf(rows, i)
	}
	lines := make([]string, 0, len(rows)+1)
	for n, row := range rows {
		var line, rule strings.Builder
		for i, c := range columns {
			line.WriteString("| " + c.padded(row[i]) + " ")
			rule.WriteString("| " + c.rule() + " ")
		}
		if lines = append(lines, line.String()+"|"); n == 0 {
			lines = append(lines, rule.String()+"|")
		}
	}
	return strings.Join(lines, "\n")
}

// A column says how its cells are padded.
type column struct {
	width int
	right bool // flush right
}

func columnOf(rows [][]string, i int) column {
	c, isNumber := column{width: len("---"), right: len(rows) > 1}, numbers()
	for n, row := range rows {
		if width := utf8.RuneCountInString(row[i]); width <= widest {
			c.width = max(c.width, width)
		}
		c.right = c.right && (n == 0 || isNumber.MatchString(row[i]))
	}
	return c
}

// numbers matches cells that begin with a number, and cells that say that there is none. A longer word behind the
// number makes a cell text: "1,000", "8 ms", "3 of 4", "1.5 (2)", "–" and "" match, and "8 clients" does not.
func numbers() *regexp.Regexp {
	return regexp.MustCompile(`^[+–-]?([0-9][0-9.,a-z]*( (\pL{1,2}\b|\PL).*)?)?$`)
}

func (c column) padded(cell string) string {
	space := strings.Repeat(" ", max(0, c.width-utf8.RuneCountInString(cell)))
	if c.right {
		return space + cell
	}
	return cell + space
}

func (c column) rule() string {
	if c.right {
		return strings.Repeat("-", c.width-1) + ":"
	}
	return strings.Repeat("-", c.width)
}

// Row returns the cells of a row. An int has commas between thousands, and a float64 one decimal. All else is as
// fmt.Sprint has it.
func Row(cells ...any) []string {
	row := make([]string, len(cells))
	for i, cell := range cells {
		switch cell := cell.(type) {
		case int:
			row[i] = Grouped(cell)
		case float64:
			row[i] = fmt.Sprintf("%.1f", cell)
		default:
			row[i] = fmt.Sprint(cell)
		}
	}
	return row
}

// Grouped returns a number with commas between thousands.
func Grouped(n int) string {
	if n < 0 {
		return "-" + Grouped(-n)
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
