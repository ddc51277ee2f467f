package debug

import (
	"mime"
	"strconv"
	"strings"
)

// A format is a form of the answer, named by its media type.
type format string

const (
	formatHTML format = "text/html; charset=utf-8"
	formatJSON format = "application/json"
)

// chooseFormat goes by the format that the query names, or else by Accept. Only a client
// that names application/json gets it, and only if it likes text/html less: browsers
// name the latter, and a wildcard says nothing. It reports false if it does not know
// the format.
func chooseFormat(named string, accept []string) (format, bool) {
	switch named {
	case "json":
		return formatJSON, true
	case "html":
		return formatHTML, true
	case "":
		if quality(accept, "application/json") > quality(accept, "text/html") {
			return formatJSON, true
		}
		return formatHTML, true
	}
	return "", false
}

// quality returns how much a client likes a media type that it names (RFC 9110 §12.5.1):
// from 0 to 1, and 0 if it does not name it or the name is malformed.
func quality(accept []string, mediaType string) float64 {
	var most float64
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			name, params, err := mime.ParseMediaType(item)
			if err != nil || name != mediaType {
				continue
			}
			q := 1.0
			if given, ok := params["q"]; ok {
				if q, err = strconv.ParseFloat(given, 64); err != nil {
					continue
				}
			}
			most = max(most, min(q, 1))
		}
	}
	return most
}
