package validate

// A family is a set of fields that describe a limit together.
type family uint8

const (
	structured family = iota // RateLimit, completed from RateLimit-Policy
	trio                     // RateLimit-Limit, -Remaining and -Reset
	xRateLimit               // X-RateLimit-*
	xDashed                  // X-Rate-Limit-*
	policyOnly               // RateLimit-Policy that no other family needed
)

// String returns how the names of the family's fields begin.
func (f family) String() string {
	return [...]string{"RateLimit", "RateLimit", "X-RateLimit", "X-Rate-Limit", "RateLimit-Policy"}[f]
}

// A part is one of the numbers of a limit, called as the fields are that tell
// it separately.
type part uint8

const (
	limitPart part = iota // quota and window
	remainingPart
	resetPart
)

// field returns the name of the field that tells a part.
func (f family) field(p part) string {
	return [...][3]string{
		{"RateLimit-Policy", "RateLimit", "RateLimit"},
		{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"},
		{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"},
		{"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset"},
		{"RateLimit-Policy", "RateLimit-Policy", "RateLimit-Policy"},
	}[f][p]
}
