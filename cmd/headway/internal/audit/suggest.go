package audit

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// suggested returns fields in the form of the draft that tell what the responses told, and leave open what is not known
// or not true. It returns none if the responses have these fields and nothing is to be mended.
func (s *seen) suggested(r *Report) []string {
	if len(s.limits) == 0 {
		return []string{`RateLimit-Policy: "default";q=QUOTA;w=SECONDS`, `RateLimit: "default";r=REMAINING;t=SECONDS`}
	}
	isDraft := true
	var policies, lefts []string
	for _, l := range s.limits {
		p := l.last()
		isDraft = isDraft && p.Dialect == limits.DialectRateLimit
		name, unit := `"`+bare(cmp.Or(p.Policy, "default"))+`"`, ""
		if p.Unit != "" && p.Unit != limits.Requests {
			unit = `;qu="` + bare(string(p.Unit)) + `"`
		}
		hasLeft := p.Remaining >= 0 && !r.Has("remaining", Misleading)
		hasReset := p.Reset >= 0 && !r.Has("reset", Misleading) && !r.Has("end", Misleading)
		seconds := func(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }
		policies = append(policies, name+";q="+known(p.Quota >= 0, p.Quota, "QUOTA")+unit+";w="+known(p.Window >= 0, seconds(p.Window), "SECONDS"))
		lefts = append(lefts, name+";r="+known(hasLeft, p.Remaining, "REMAINING")+";t="+known(hasReset, seconds(p.Reset), "SECONDS"))
	}
	if isDraft && !r.Has("policy", NotTold) && !r.Has("", Misleading) {
		return []string{}
	}
	return []string{"RateLimit-Policy: " + strings.Join(policies, ", "), "RateLimit: " + strings.Join(lefts, ", ")}
}

// bare returns a name as a String of RFC 9651 can hold it.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, name[:min(len(name), 40)])
}

// known returns a number, or what stands for it.
func known(isKnown bool, n int64, placeholder string) string {
	if !isKnown {
		return placeholder
	}
	return fmt.Sprint(n)
}
