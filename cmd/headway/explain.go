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
		return explanation{"malformed", "what cannot be read is ignored"}
	case validate.Cached:
		return explanation{"cached", "a cache answered, so the limits are old news and ignored: ask the server itself"}
	case validate.TooLong:
		return explanation{"too_long", "the time is longer than any that servers mean, so it is taken to be the longest that is believed"}
	case validate.TooMany:
		return explanation{"too_many", "the number is greater than any that servers mean, so it is taken to be the greatest that is believed"}
	case validate.TooFast:
		return explanation{"too_fast", "it allows more requests per second than is plausible, so it is taken to allow the most that is believed"}
	case validate.NoClock:
		return explanation{"no_clock", "it is a point in time, and the response has no Date to measure it against, so it is ignored"}
	case validate.Placeholder:
		return explanation{"placeholder", "the request was served, so the number stands for no limit (a quota of 0 or less, or less than 0 left) and is ignored"}
	case validate.Ambiguous:
		return explanation{"ambiguous", "several policies could belong to it, so what they differ in is ignored"}
	case validate.Repeated:
		return explanation{"repeated", "the same limit is told twice with different numbers, so the stricter ones count"}
	case validate.Crowded:
		return explanation{"crowded", "it names more limits than any server has, so the rest is ignored"}
	}
	return explanation{"other", string(r)}
}

// explainCause says what is wrong with a field's syntax.
func explainCause(err error) explanation {
	switch {
	case errors.Is(err, parse.ErrSyntax):
		return explanation{"syntax", "a character stands where the field's grammar has no place for it"}
	case errors.Is(err, parse.ErrTruncated):
		return explanation{"truncated", "the value ends in the middle of something, such as a string or behind a comma"}
	case errors.Is(err, parse.ErrDigits):
		return explanation{"digits", "a number has too many digits"}
	case errors.Is(err, parse.ErrType):
		return explanation{"type", "a value has the wrong type, such as a string in place of a number"}
	case errors.Is(err, parse.ErrRange):
		return explanation{"range", "a number means nothing here, such as a quota below 0 or a window of 0 seconds"}
	case errors.Is(err, parse.ErrMissing):
		return explanation{"missing", "an item lacks a number without which it says nothing"}
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
