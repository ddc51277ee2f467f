package parse

import (
	"strconv"
	"strings"
	"time"
)

// maxAge is the greatest Age in seconds (RFC 9111 §1.2.2).
const maxAge = 1 << 31

// readAge reads the first value of an Age field; 0 if it is not a number of seconds.
func readAge(line string) time.Duration {
	value, _, _ := strings.Cut(line, ",")
	value = strings.Trim(value, " \t")
	seconds := int64(0)
	for i := range len(value) {
		if !isDigit(value[i]) {
			return 0
		}
		seconds = min(seconds*10+int64(value[i]-'0'), maxAge)
	}
	return time.Duration(seconds) * time.Second
}

// readFlag reads X-From-Cache. The field is not standardized; caches inside a client set it to 1.
func readFlag(line string) bool {
	yes, _ := strconv.ParseBool(line) // false on an error
	return yes
}
