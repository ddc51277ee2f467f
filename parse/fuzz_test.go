package parse

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// The differential targets compare the structured-field parser of this package with
// github.com/dunglas/httpsfv. sf_test.go builds the parser from the productions that the field readers
// use.

func sfSeeds(f *testing.F) {
	f.Helper()
	for _, seed := range []string{
		`"default";r=50;t=30`, `"a";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:, b;q=5`,
		`limit=100, remaining=50, reset=5`, `a;x;y=?0;z=-1.5;d=@5;u=%"%c3%bc";b=::;*-_.=tok/en:`,
		`("a" "b\"\\" ;c);d, ()`, `a=(1 2);x, b;y, c=?1`, `999999999999999, 999999999999.999`,
		`1000000000000000`, `a,`, `a;`, `a=1,`, `:YQ:`, `:YR==:`, `@1.5`, `%"%C3"`, `1.2345`, ` a `, "a\t,\tb\t",
	} {
		f.Add(seed)
	}
}

func FuzzList(f *testing.F) {
	sfSeeds(f)
	f.Fuzz(func(t *testing.T, value string) {
		ours, err := sfList(value)
		theirs, theirErr := httpsfv.UnmarshalList([]string{value})
		if compareErrors(t, value, err, theirErr) {
			require.Equal(t, membersOf(theirs), sfNotation(ours), "%q", value)
		}
	})
}

func FuzzDictionary(f *testing.F) {
	sfSeeds(f)
	f.Fuzz(func(t *testing.T, value string) {
		ours, err := sfDictionary(value)
		theirs, theirErr := httpsfv.UnmarshalDictionary([]string{value})
		if !compareErrors(t, value, err, theirErr) {
			return
		}
		want := []any{}
		for _, name := range theirs.Names() {
			m, _ := theirs.Get(name)
			want = append(want, []any{name, memberOf(m)})
		}
		require.Equal(t, want, sfPairsNotation(ours, sfMemberNotation), "%q", value)
	})
}

func FuzzItem(f *testing.F) {
	sfSeeds(f)
	f.Fuzz(func(t *testing.T, value string) {
		ours, err := sfItem(value)
		theirs, theirErr := httpsfv.UnmarshalItem([]string{value})
		if compareErrors(t, value, err, theirErr) {
			require.Equal(t, itemOf(theirs), sfMemberNotation(ours), "%q", value)
		}
	})
}

// compareErrors reports whether both parsers accept value. They must agree, but for the known disagreements.
func compareErrors(t *testing.T, value string, ours, theirs error) bool {
	t.Helper()
	if isKnownDisagreement(ours, theirs) {
		return false
	}
	require.Equal(t, theirs == nil, ours == nil, "%q: httpsfv says %v, we say %v", value, theirs, ours)
	return ours == nil
}

func membersOf(list httpsfv.List) []any {
	all := []any{}
	for _, m := range list {
		all = append(all, memberOf(m))
	}
	return all
}

func memberOf(m httpsfv.Member) any {
	switch m := m.(type) {
	case httpsfv.Item:
		return itemOf(m)
	case httpsfv.InnerList:
		items := []any{}
		for _, i := range m.Items {
			items = append(items, itemOf(i))
		}
		return []any{items, paramsOf(m.Params)}
	}
	return m
}

func itemOf(i httpsfv.Item) any { return []any{valueOf(i.Value), paramsOf(i.Params)} }

func paramsOf(p *httpsfv.Params) []any {
	all := []any{}
	for _, name := range p.Names() {
		v, _ := p.Get(name)
		all = append(all, []any{name, valueOf(v)})
	}
	return all
}

func valueOf(v any) any {
	switch v := v.(type) {
	case int64:
		return sfTyped{kindInteger, v}
	case float64:
		return sfTyped{kindDecimal, int64(math.Round(v * 1000))}
	case httpsfv.Token:
		return sfTyped{kindToken, string(v)}
	case httpsfv.DisplayString:
		return sfTyped{kindDisplay, string(v)}
	case []byte:
		return sfTyped{kindBytes, string(v)}
	case time.Time:
		return sfTyped{kindDate, v.Unix()}
	}
	return v
}

// FuzzRateLimitAgainstList checks that RateLimit reads the items that the value has as a list, and that a
// value that is not a list has no draft-10 items.
func FuzzRateLimitAgainstList(f *testing.F) {
	sfSeeds(f)
	f.Fuzz(func(t *testing.T, value string) {
		var got []Row
		readItems(limits.DialectRateLimit, []string{value}, &got)
		members, err := sfList(value)
		if slices.ContainsFunc(members, sfMember.isTwice) {
			t.Skip()
		}
		if err != nil {
			require.LessOrEqual(t, len(got), 1, "at most draft 07's item")
			return
		}
		want := []Row{}
		for _, m := range members[:min(len(members), mostItems)] {
			if l, ok := m.serviceLimit(); ok && len(value) <= MaxFieldLength {
				want = append(want, l)
			}
		}
		require.Equal(t, want, append([]Row{}, got...))
	})
}

// serviceLimit reads an item of RateLimit in the simplest way, for comparison.
func (m sfMember) serviceLimit() (Row, bool) {
	if m.value.kind == kindInteger { // a quota, as in drafts 04 to 07, and no limit
		return Row{}, false
	}
	l := NewRow()
	l.Family, l.Name = limits.DialectRateLimit, m.value.text
	ok := (m.value.kind == kindString || m.value.kind == kindToken) && len(l.Name) <= MaxText
	has := func(keys ...string) bool {
		return slices.ContainsFunc(m.params, func(p sfPair) bool { return slices.Contains(keys, p.key) })
	}
	hasQuota := has("q", "limit")
	for _, p := range m.params {
		v := p.member.value
		count := v.kind == kindInteger && v.num >= 0
		switch p.key {
		case "r", "remaining", "a":
			if p.key != "a" || !has("r", "remaining") {
				l.Remaining, l.HasRemaining, ok = v.num, true, ok && count
			}
		case "t", "reset":
			l.Reset, ok = after(times(max(v.num, 0), time.Second)), ok && count
		case "w", "window":
			switch {
			case hasQuota:
				l.Window, ok = times(max(v.num, 0), time.Second), ok && count && v.num > 0
			case v.kind == kindInteger && !has("t", "reset"):
				l.Reset, ok = after(times(max(v.num, 0), time.Second)), ok && count
			}
		case "q", "limit":
			l.Limit, ok = v.num, ok && count
		case "qu":
			l.Unit, ok = limits.Unit(v.text), ok && (v.kind == kindString || v.kind == kindToken) && len(v.text) <= MaxText
		case "pk":
			l.Key, ok = v.text, ok && v.kind == kindBytes && len(v.text) <= MaxText
		}
	}
	if l.Unit == "" || l.Unit == "request" {
		l.Unit = limits.Requests
	}
	return l, ok && (l.HasRemaining || l.Reset.Form != Absent)
}

// isTwice reports whether an item has a number under two keys. Of these the last one counts, whose place is not known any
// more.
func (m sfMember) isTwice() bool {
	names, seen := map[string]string{"remaining": "r", "reset": "t", "limit": "q", "window": "w"}, map[string]bool{}
	for _, p := range m.params {
		name := cmp.Or(names[p.key], p.key)
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

func TestByteSequenceDecodes(t *testing.T) {
	s := scanner{s: ":cHsdsRa894==:"}
	raw, err := base64.StdEncoding.DecodeString(s.byteSequence().text)
	require.NoError(t, err)
	require.Len(t, raw, 7)
}
