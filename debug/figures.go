package debug

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// span formats a duration with at most two units: 250 ms, 4.2 s, 3 min 20 s, 2 h, 3 d 4 h. A negative
// duration counts as 0.
func span(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 s"
	case d < 100*time.Millisecond:
		return strconv.FormatInt(max(1, d.Milliseconds()), 10) + " ms"
	case d < 9950*time.Millisecond:
		return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0") + " s"
	}
	switch s := int64(d.Round(time.Second) / time.Second); {
	case s < 60:
		return strconv.FormatInt(s, 10) + " s"
	case s < 60*60:
		return twoUnits(s/60, "min", s%60, "s")
	case s < 48*60*60:
		return twoUnits(s/3600, "h", s%3600/60, "min")
	default:
		return twoUnits(s/86400, "d", s%86400/3600, "h")
	}
}

// about formats the time since or until an event, rounded so that readers can follow it.
func about(d time.Duration) string { return span(d.Round(100 * time.Millisecond)) }

func twoUnits(whole int64, unit string, part int64, smaller string) string {
	if part == 0 {
		return fmt.Sprintf("%d %s", whole, unit)
	}
	return fmt.Sprintf("%d %s %d %s", whole, unit, part, smaller)
}

// perTime formats a rate, given per second. It uses the unit of time that fits the rate suits, so that
// readers can compare the two.
func perTime(rate, suits float64) string {
	switch {
	case suits >= 1 || suits <= 0:
		return decimal(rate) + "/s"
	case suits >= 1.0/60:
		return decimal(rate*60) + "/min"
	default:
		return decimal(rate*3600) + "/h"
	}
}

// decimal formats a number of at least 0 with three digits, or with all digits before the point.
func decimal(x float64) string {
	switch {
	case x < 0.005:
		return "0"
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return count(int64(math.Min(math.Round(x), 1<<53)))
}

// count formats a number of at least 0 with a comma between thousands.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// clockTime formats a time of day in UTC, with the date unless it is within a day of now.
func clockTime(now, t time.Time) string {
	if t.Sub(now).Abs() < 24*time.Hour {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}
