package main

import (
	"errors"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// An explanation says what is wrong: a word for scripts, and a sentence for people.
type explanation struct{ code, text string }

// explainReason says what was done about a field, and why.
func explainReason(r validate.Reason) explanation {
	known, isKnown := map[validate.Reason]explanation{
		validate.Malformed:   {"malformed", "headway ignores what it cannot parse"},
		validate.Cached:      {"cached", "the response comes from a cache, so its limits are out of date and ignored: ask the server without the cache"},
		validate.TooLong:     {"too_long", "the time is implausibly long, so headway uses the longest that it accepts"},
		validate.TooMany:     {"too_many", "the number is implausibly large, so headway uses the largest that it accepts"},
		validate.TooFast:     {"too_fast", "it allows implausibly many requests per second, so headway uses the highest rate that it accepts"},
		validate.NoClock:     {"no_clock", "it is a date, and the response has no Date to compare it with, so it is ignored"},
		validate.TooFar:      {"too_far", "it would be a time more than a year ahead, so it counts something else and is ignored"},
		validate.Doubted:     {"doubted", "it may count milliseconds: a profile can say so"},
		validate.Placeholder: {"placeholder", "the server served the request, so a quota of 0 or less, or less than 0 left, means that there is no limit: the number is ignored"},
		validate.Repeated:    {"repeated", "the same limit is reported twice with different numbers, so the stricter ones count"},
		validate.Crowded:     {"crowded", "it has implausibly many limits, so the rest is ignored"},
	}[r]
	if !isKnown {
		return explanation{"other", string(r)}
	}
	return known
}

// explainCause says what is wrong with a field's syntax.
func explainCause(err error) explanation {
	for _, row := range []struct {
		cause error
		explanation
	}{
		{parse.ErrSyntax, explanation{"syntax", "a character is not allowed in its place"}},
		{parse.ErrTruncated, explanation{"truncated", "the value ends too early, such as inside a string or after a comma"}},
		{parse.ErrType, explanation{"type", "a value has the wrong type, such as a string in place of a number"}},
		{parse.ErrRange, explanation{"range", "a number makes no sense, such as a quota below 0 or a window of 0 seconds"}},
		{parse.ErrMissing, explanation{"missing", "the value, or a required number in it, is missing"}},
		{parse.ErrNumber, explanation{"number", "the value is not a number"}},
		{parse.ErrTime, explanation{"time", "the value is not a time"}},
		{parse.ErrConflict, explanation{"conflict", "several values contradict each other"}},
		{parse.ErrTooLong, explanation{"too_long", "the field, or a text or number in it, is too long"}},
		{parse.ErrTooMany, explanation{"too_many", "the field has too many lines, members or parameters"}},
	} {
		if errors.Is(err, row.cause) {
			return row.explanation
		}
	}
	return explanation{"other", visible(err.Error(), longText)}
}
