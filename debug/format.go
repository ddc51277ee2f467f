package debug

import (
	"mime"
	"strconv"
	"strings"
)

// A format is a format of the response, named by its media type.
type format string

const (
	formatHTML format = "text/html; charset=utf-8"
	formatJSON format = "application/json"
)

// chooseFormat returns the format that the query names, or else the one that Accept prefers. JSON needs
// application/json in Accept, with a higher quality than text/html: browsers name text/html, and wildcards do
// not count. ok is false for an unknown format.
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

// quality returns the quality of a media type in Accept, from 0 to 1 (RFC 9110 §12.5.1). It is 0 if Accept
// does not name the type, or is malformed.
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
