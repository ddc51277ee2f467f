package parse

import (
	"strconv"
	"strings"
	"time"
)

// oldest is the greatest Age there is (RFC 9111 §1.2.2).
const oldest = 1 << 31

// readAge reads the first value of an Age field, 0 if it is no number of seconds.
func readAge(line string) time.Duration {
	value, _, _ := strings.Cut(line, ",")
	value = strings.Trim(value, " \t")
	seconds := int64(0)
	for i := range len(value) {
		if !isDigit(value[i]) {
			return 0
		}
		seconds = min(seconds*10+int64(value[i]-'0'), oldest)
	}
	return time.Duration(seconds) * time.Second
}

// readFlag reads X-From-Cache, for which nothing is standardised: caches inside
// a client set it to 1.
func readFlag(line string) bool {
	yes, _ := strconv.ParseBool(line) // an error is no
	return yes
}
