package validate

import (
	"cmp"
	"fmt"
	"slices"
)

// A Verdict says whether a response refuses its request because of a limit, and what helps. docs/refusals.md has the table.
type Verdict uint8

// The verdicts. Their texts are the words in quotation marks.
const (
	VerdictNone    Verdict = iota // "": no refusal because of a limit
	VerdictUnknown                // "unknown": a refusal that does not say how long it lasts
	VerdictWait                   // "wait": a refusal that says how long, or that waiting helps
	VerdictOnly                   // "only this": a refusal of some requests alone, those of the policies or the route that it names
	VerdictNever                  // "never": waiting does not help this request
)

//nolint:gochecknoglobals // a table
var verdicts = []string{"", "unknown", "wait", "only this", "never"}

// IsRefusal reports whether the request may succeed later: the verdict is neither VerdictNone nor VerdictNever.
func (v Verdict) IsRefusal() bool { return v != VerdictNone && v != VerdictNever }

// String returns the verdict's text.
func (v Verdict) String() string {
	if int(v) < len(verdicts) {
		return verdicts[v]
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// MarshalText returns the verdict's text.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes. The error has the text.
func (v *Verdict) UnmarshalText(text []byte) error {
	i := slices.Index(verdicts, string(text))
	if i < 0 {
		return fmt.Errorf("unknown verdict %q", text)
	}
	*v = Verdict(i)
	return nil
}

// judge sets the verdict. The first line that applies decides.
func (r *reader) judge() {
	never := r.never()
	if r.Sign = cmp.Or(never, r.Sign); r.isRefused && never == "" && !r.WantsBody {
		r.completeRefusal()
	}
	switch {
	case !r.isRefused:
		r.Verdict = VerdictNone
	case never != "":
		r.Verdict = VerdictNever
	case r.cause != "" || len(r.Violated) > 0:
		r.Verdict = VerdictOnly
	case r.helps || r.RetryAfter != Unknown || exhausted(r.Limits):
		r.Verdict = VerdictWait
	default:
		r.Verdict = VerdictUnknown
	}
}

// never returns the name of the last sign that says that waiting does not help, of those that count; "" if there is none.
func (r *reader) never() (name string) {
	for _, s := range r.nevers {
		if (s.needsBody() || r.RetryAfter <= 0) && (!s.isGeneral || !r.helpsHere) {
			name = s.name()
		}
	}
	return name
}
