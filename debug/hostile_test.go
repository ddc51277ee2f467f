package debug

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

var hostileNames = []string{
	"", "a", `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</style></script></bdi></table>`,
	`<!--`, `-->`, `]]>`, `&lt;script&gt;`, `javascript:alert(1)`, `{{.}}`, "`${alert(1)}`", "\u202e\u2066<b>", "a\x00\x1b[31m\r\n\r\n<b>",
	"\xff\xfe<\xc0\xbcscript>", "\u2028\u2029", strings.Repeat("<b>", 100), strings.Repeat("é\"", 100), "</noscript>",
	"https://a.example#c0ffee5a17ed0a75", "<b>#c0ffee5a17ed0a75",
}

// TestHostileNames shows that any name gives the same markup as a plain name, and that nothing invisible is shown.
func TestHostileNames(t *testing.T) {
	for i, name := range hostileNames {
		second, third := hostileNames[(i+1)%len(hostileNames)], hostileNames[(i+2)%len(hostileNames)]
		page := pageOf(t, name, name, second, name, third, name)
		plain := pageOf(t, plainly(name), plainName(name), plainly(second), plainly(name), plainly(third), plainly(name))
		require.Equal(t, markup(plain), markup(page))

		_, shown, _ := strings.Cut(page, "<main") // the filter above is the reader's own text
		require.True(t, utf8.ValidString(shown))
		require.Negative(t, strings.IndexFunc(shown, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }))
	}
}

// pageOf returns the page of one partition. It waits for the quota of one limit, and has another limit that
// is held.
func pageOf(t *testing.T, transport, partition, policy, key, unit, filterText string) string {
	t.Helper()
	s := unknown()
	s.Partition, s.Waiting, s.WaitingSince = partition, 1, in(-1)
	s.Cause, s.Policy = headway.CauseQuota, policy
	withLimit(&s, usedUpFor(12))
	s.Limits[0].Quota, s.Limits[0].Policy, s.Limits[0].PartitionKey, s.Limits[0].Unit = 10, policy, key, limits.Unit(unit)
	p := newPage(noon, nil, newFilter(filterText))
	p.Style, p.Script = "", "" // the same in each page
	p.Sections = append(p.Sections, newSection(noon, transport, false, []headway.PartitionState{s}, newFilter("")))
	text, err := p.render()
	require.NoError(t, err)
	return string(text)
}

func plainly(name string) string {
	if name == "" {
		return ""
	}
	return "plain"
}

// plainName returns a harmless name that is split like name.
func plainName(name string) string {
	if _, hash := splitName(name); hash != "" {
		return "plain" + hash
	}
	return plainly(name)
}

// markup returns a page without its text. What remains are characters that begin or end a tag or an
// attribute's value. Values are always in quotes.
func markup(page string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>"'`, r) {
			return r
		}
		return -1
	}, page)
}
