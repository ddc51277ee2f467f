package main

import (
	"regexp"
	"slices"
	"strings"
)

// longestGuessed is the most bytes of a value of which a pattern is guessed.
const longestGuessed = 256

// guessPattern returns a pattern of a profile for a value with several numbers, such as 39/40, 60r/m or used=12;of=100; ""
// if there is none. It has the keys of the value, but nothing of what they stand for.
func guessPattern(value string) string {
	if len(value) > longestGuessed {
		return ""
	}
	for _, form := range []struct{ looks, pattern string }{
		{`^\d+/\d+\b`, `(?<used>\d+)/(?<limit>\d+)`},
		{`^\d+r/[a-z]+\b`, `(?<limit>\d+)r/(?<window>\w+)`},
		{`^\d+/\d*[a-z]+\b`, `(?<limit>\d+)/(?<window>\w+)`},
		{`^[\w-]+=\d+/\d+\b`, `(?<name>[\w-]+)=(?<used>\d+)/(?<limit>\d+)`},
		{`^name=[^,;=]*,\d+;`, `name=(?<name>[^,;]*),(?<limit>\d+);`},
	} {
		if regexp.MustCompile(form.looks).MatchString(value) {
			return form.pattern
		}
	}
	pattern, text, parts := "", "", []string{}
	for _, pair := range regexp.MustCompile(`([;,&]? ?)([A-Za-z][\w-]*)=([^;,& "]+)`).FindAllStringSubmatch(value, -1) {
		part, holds := partOf(pair[2]), `\d+`
		text += pair[1] + pair[2] + "="
		switch {
		case part == "":
			text += "[^;,& ]+"
			continue
		case slices.Contains(parts, part): // of the next limit
			return pattern
		case part == "window", part == "name":
			holds = `[\w-]+`
		}
		pattern, text, parts = pattern+text+"(?<"+part+">"+holds+")", "", append(parts, part)
	}
	return pattern
}

// partOf returns which part of a limit a key such as of or max_requests stands for; "" if it is none.
func partOf(key string) string {
	for _, row := range [...][]string{ // the first word names the part
		{"remaining", "remain", "left", "available", "r"},
		{"used", "usage", "count", "consumed"},
		{"reset", "resets", "t"},
		{"window", "per", "period", "interval", "w"},
		{"name", "policy"},
		{"limit", "of", "total", "max", "quota", "q"},
	} {
		isRow := func(word string) bool { return slices.Contains(row, word) }
		if slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(key), isBetween), isRow) {
			return row[0]
		}
	}
	return ""
}
