package main

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// mostUnknown bounds the list of unknown fields.
const mostUnknown = 8

// aboutLimits matches names of fields that look like limits.
var aboutLimits = regexp.MustCompile(`(?i)quota|limit|throttl|usage|weight|count-\d|\b(left|remaining)\b`)

// unknownFields returns the names of fields that look like limits, and that headway does not know.
func unknownFields(x *exchange) []string {
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		hasNumber := strings.ContainsAny(x.Header.Get(name), "0123456789")
		if len(all) < mostUnknown && hasNumber && aboutLimits.MatchString(name) && !x.isKnown(name) {
			all = append(all, name)
		}
	}
	return all
}

// isKnown reports whether headway reads a field, or would beside others.
func (x *exchange) isKnown(name string) bool {
	header := http.Header{name: x.Header[name], "Date": x.Header["Date"]}
	alone := validate.Response(&http.Response{StatusCode: http.StatusOK, Header: header, Request: x.Request}, x.received, validate.Bounds{})
	return !alone.IsSilent() || len(alone.Problems) > 0 || len(parse.Find(header, nil)) > 0
}
