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
	switch r {
	case validate.Malformed:
		return explanation{"malformed", "headway ignores what it cannot parse"}
	case validate.Cached:
		return explanation{"cached", "the response comes from a cache, so its limits are out of date and ignored: ask the server without the cache"}
	case validate.TooLong:
		return explanation{"too_long", "the time is implausibly long, so headway uses the longest that it accepts"}
	case validate.TooMany:
		return explanation{"too_many", "the number is implausibly large, so headway uses the largest that it accepts"}
	case validate.TooFast:
		return explanation{"too_fast", "it allows implausibly many requests per second, so headway uses the highest rate that it accepts"}
	case validate.NoClock:
		return explanation{"no_clock", "it is a date, and the response has no Date to compare it with, so it is ignored"}
	case validate.TooFar:
		return explanation{"too_far", "it would be a time more than a year ahead, so it counts something else and is ignored"}
	case validate.Doubted:
		return explanation{"doubted", "it may count milliseconds, which two responses of the same limit will tell"}
	case validate.Placeholder:
		return explanation{"placeholder", "the server served the request, so a quota of 0 or less, or less than 0 left, means that there is no limit: the number is ignored"}
	case validate.Ambiguous:
		return explanation{"ambiguous", "it fits several policies, so values in which these differ are ignored"}
	case validate.Repeated:
		return explanation{"repeated", "the same limit is reported twice with different numbers, so the stricter ones count"}
	case validate.InTrailer:
		return explanation{"in_trailer", "it came in the trailer section, where only limits may be, so it is ignored"}
	case validate.Broken:
		return explanation{"broken", "the function that reads limits of one's own panicked, so what it would have read is missing"}
	case validate.Crowded:
		return explanation{"crowded", "it has implausibly many limits, so the rest is ignored"}
	}
	return explanation{"other", string(r)}
}

// explainCause says what is wrong with a field's syntax.
func explainCause(err error) explanation {
	switch {
	case errors.Is(err, parse.ErrSyntax):
		return explanation{"syntax", "a character is not allowed in its place"}
	case errors.Is(err, parse.ErrTruncated):
		return explanation{"truncated", "the value ends too early, such as inside a string or after a comma"}
	case errors.Is(err, parse.ErrDigits):
		return explanation{"digits", "a number has too many digits"}
	case errors.Is(err, parse.ErrType):
		return explanation{"type", "a value has the wrong type, such as a string in place of a number"}
	case errors.Is(err, parse.ErrRange):
		return explanation{"range", "a number makes no sense, such as a quota below 0 or a window of 0 seconds"}
	case errors.Is(err, parse.ErrMissing):
		return explanation{"missing", "a required number is missing"}
	case errors.Is(err, parse.ErrEmpty):
		return explanation{"empty", "the field has no value"}
	case errors.Is(err, parse.ErrNumber):
		return explanation{"number", "the value is not a number"}
	case errors.Is(err, parse.ErrTime):
		return explanation{"time", "the value is not a time"}
	case errors.Is(err, parse.ErrConflict):
		return explanation{"conflict", "several values contradict each other"}
	case errors.Is(err, parse.ErrTooLong):
		return explanation{"too_long", "the field, or a text in it, is too long"}
	case errors.Is(err, parse.ErrTooMany):
		return explanation{"too_many", "the field has too many lines, members or parameters"}
	}
	return explanation{"other", visible(err.Error(), longText)}
}
