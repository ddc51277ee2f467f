package gogithub_test

import "strconv"

const (
	primary   = `{"message":"API rate limit exceeded for user ID 1.","documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"}`
	secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",` +
		`"documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
)

// fields returns the fields of a limit of 5000, with its reset in seconds since 1970, and further ones.
func fields(remaining, reset int64, more ...string) []string {
	return append([]string{
		"X-RateLimit-Limit", "5000",
		"X-RateLimit-Remaining", strconv.FormatInt(remaining, 10),
		"X-RateLimit-Reset", strconv.FormatInt(reset, 10),
		"X-RateLimit-Resource", "core",
	}, more...)
}
