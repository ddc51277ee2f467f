package fuzz

import (
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// FuzzProblem reads the type and the body of a problem.
func FuzzProblem(f *testing.F) {
	types := []string{
		"application/problem+json", "Application/Problem+JSON; charset=UTF-8", "application/json", "application/problem+json;", ";", "\napplication/problem+json",
	}
	for i, body := range []string{
		`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded","violated-policies":["daily","bandwidth"]}`,
		`{"violated-policies":["a"],"status":429,"violated-policies":["b",""]}`, `{"Violated-Policies":["a"]}`,
		`{"violated\u002dpolicies":["\ud83d\ude00\\","\ud83d"]}`, "{\"violated-policies\":[\"\xff\"]}",
		`{"violated-policies":["a",null]}`, `{"violated-policies":{"0":"a"}}`, `{"violated-policies":["a"`, `[[[[`, `null`, ``,
	} {
		f.Add(types[i%len(types)], body)
	}
	f.Fuzz(func(t *testing.T, contentType, text string) {
		// Package mime also trims characters that a field value cannot have, such as a line feed.
		mediaType, _, err := mime.ParseMediaType(contentType)
		if isProblem := parse.IsProblem(contentType); err == nil && strings.Trim(contentType, " \t") == strings.TrimSpace(contentType) {
			require.Equal(t, mediaType == "application/problem+json", isProblem, "%q", contentType)
		}
		body := []byte(text)
		got := parse.ViolatedPolicies(body)
		require.Equal(t, text, string(body), "the body is not written to")
		require.Equal(t, violated(body), got)
		require.LessOrEqual(t, len(got), parse.MaxViolated)
		for _, name := range got {
			require.LessOrEqual(t, len(name), parse.MaxViolatedName)
			require.True(t, utf8.ValidString(name), "%q", name)
		}
		if got != nil {
			end := slices.Index(body, '}') // somewhere in the object
			require.Nil(t, parse.ViolatedPolicies(body[:end]), "cut off")
		}
	})
}

// violated reads the names in the simplest way, for comparison.
func violated(body []byte) []string {
	var problem any
	if len(body) > parse.MaxProblemLength || json.Unmarshal(body, &problem) != nil {
		return nil
	}
	members, _ := problem.(map[string]any)
	array, _ := members["violated-policies"].([]any)
	if len(array) > parse.MaxViolated {
		return nil
	}
	var names []string
	for _, element := range array {
		name, ok := element.(string)
		if !ok || len(name) > parse.MaxViolatedName {
			return nil
		}
		names = append(names, name)
	}
	return names
}
