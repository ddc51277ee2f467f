package fuzz

import (
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// FuzzList compares RateLimit-Policy, RateLimit and RateLimit-Partition with what github.com/dunglas/httpsfv reads, a parser for
// any structured field.
func FuzzList(f *testing.F) {
	addLines(f, "ratelimit")
	addLines(f, "ratelimit-policy")
	for _, seed := range []string{
		`"a";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:, b;q=5`, `a;x;y=?0;z=-1.5;d=@5;u=%"%c3%bc";b=::;*-_.=tok/en:`,
		`("a" "b\"\\" ;c);d, ()`, `a=(1 2);x, b;y, c=?1`, `999999999999999, 999999999999.999`, `1000000000000000`, `a,`, `a;`, `a=1,`,
		`:YQ:`, `:YR==:`, `:YQ===:`, `@1.5`, `%"%C3"`, `1.2345`, ` a `, "a\t,\tb\t", `"a";a=5;w=3;c=7`, `"a";r=1;q=0;w=0;qu=b;c=-1`,
		"a" + strings.Repeat(",a", parse.MaxMembers), "a" + strings.Repeat(";b", parse.MaxParameters+1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		list, err := httpsfv.UnmarshalList([]string{value})
		_, dictionaryErr := httpsfv.UnmarshalDictionary([]string{value})
		var padding base64.CorruptInputError
		if errors.As(err, &padding) || errors.As(dictionaryErr, &padding) || len(value) > parse.MaxFieldLength {
			return // RFC 9651 §4.2.7: parsers should accept a Byte Sequence without padding
		}
		checkList(t, "Ratelimit-Policy", value, list, err, policyOf)
		if err == nil || dictionaryErr != nil {
			checkList(t, "Ratelimit", value, list, err, limitOf)
		} else {
			got := parse.Header(http.Header{"Ratelimit": {value}})
			require.LessOrEqual(t, len(got.Rows), 1, "that of draft 07")
			require.False(t, isBroken(&got), "%v", got.Problems)
		}
		item, err := httpsfv.UnmarshalItem([]string{value})
		got := parse.Header(http.Header{"Ratelimit-Partition": {value}})
		if raw, isKey := item.Value.([]byte); err == nil && isKey && base64.StdEncoding.EncodedLen(len(raw)) <= parse.MaxText {
			require.Equal(t, raw, decoded(got.Partition))
		} else {
			require.Empty(t, got.Partition)
			require.NotEmpty(t, got.Problems)
		}
	})
}

// checkList checks that a field has the rows of a list: those of the members for which rowOf returns true.
func checkList(t *testing.T, field, value string, list httpsfv.List, err error, rowOf func(httpsfv.Item) (parse.Row, bool)) {
	t.Helper()
	got := parse.Header(http.Header{field: {value}})
	if len(got.Problems) > 0 && errors.Is(got.Problems[0], parse.ErrTooMany) {
		return // RFC 9651 §3.1 and §3.1.2 ask for no more
	}
	require.Equal(t, err != nil, isBroken(&got) || err != nil && len(got.Problems) > 0, "httpsfv says %v, and parse %v", err, got.Problems)
	var want []parse.Row
	for _, member := range list {
		if item, isItem := member.(httpsfv.Item); isItem {
			if row, ok := rowOf(item); ok {
				want = append(want, row)
			}
		}
	}
	if strings.Contains(value, "window") {
		return // the last one of w and window counts
	}
	require.Len(t, got.Rows, min(len(want), parse.MaxNamed+1))
	for i, row := range got.Rows {
		row.Names, row.Label = parse.Names{}, ""
		require.Equal(t, want[i].Key, string(decoded(row.Key)))
		row.Key = want[i].Key
		require.Equal(t, want[i], row)
	}
}

// isBroken reports whether a field was malformed as a structured field.
func isBroken(f *parse.Fields) bool {
	return len(f.Problems) > 0 && (errors.Is(f.Problems[0], parse.ErrSyntax) || errors.Is(f.Problems[0], parse.ErrTruncated))
}

func decoded(key string) []byte {
	raw, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(key, "="))
	return append([]byte{}, raw...)
}

func has(item httpsfv.Item, name string) bool {
	_, ok := item.Params.Get(name)
	return ok
}

// parameters are those of an item. isWrong is set once one has the wrong type or is too small.
type parameters struct {
	httpsfv.Item
	isWrong bool
}

// count returns an Integer of at least least; Unknown if it is absent or wrong.
func (p *parameters) count(name string, least int64) int64 {
	v, ok := p.Params.Get(name)
	n, isInteger := v.(int64)
	switch {
	case !ok:
		return parse.Unknown
	case !isInteger || n < least:
		p.isWrong = true
		return parse.Unknown
	}
	return n
}

// ignored is count for a parameter that counts as absent if it is wrong.
func (p *parameters) ignored(name string, least int64) int64 {
	before := p.isWrong
	n := p.count(name, least)
	p.isWrong = before
	return n
}

// text returns a String or Token.
func (p *parameters) text(v any) string {
	text, isString := v.(string)
	if token, isToken := v.(httpsfv.Token); isToken {
		text, isString = string(token), true
	}
	p.isWrong = p.isWrong || !isString || len(text) > parse.MaxText
	return text
}

// start returns a row with the parameters that both fields have.
func (p *parameters) start(family limits.Dialect) parse.Row {
	row := parse.NewRow()
	row.Family, row.Name = family, p.text(p.Value)
	if v, ok := p.Params.Get("pk"); ok {
		raw, isBytes := v.([]byte)
		row.Key, p.isWrong = string(raw), p.isWrong || !isBytes || base64.StdEncoding.EncodedLen(len(raw)) > parse.MaxText
	}
	if v, ok := p.Params.Get("qu"); ok {
		if _, isString := v.(string); isString || family == limits.DialectPolicy {
			row.Unit = limits.Unit(p.text(v))
		}
	}
	if row.Unit == "" || row.Unit == "request" {
		row.Unit = limits.Requests
	}
	return row
}

func seconds(n int64) time.Duration {
	switch {
	case n == parse.Unknown:
		return parse.Unknown
	case n > math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}

// policyOf reads an item of RateLimit-Policy in the simplest way.
func policyOf(item httpsfv.Item) (parse.Row, bool) {
	p := parameters{Item: item}
	if n, isQuota := item.Value.(int64); isQuota { // drafts 04 to 07
		row := parse.NewRow()
		row.Family, row.IsPolicy, row.Limit, row.Window = limits.DialectPolicy, true, n, seconds(p.count("w", 1))
		return row, !p.isWrong && n >= 0 && row.Window != parse.Unknown
	}
	row := p.start(limits.DialectPolicy)
	row.IsPolicy, row.Limit, row.Window = true, p.count("q", 0), seconds(p.count("w", 1))
	return row, !p.isWrong && row.Limit != parse.Unknown
}

// limitOf reads an item of RateLimit in the simplest way. a and w of draft 11 are r and t.
func limitOf(item httpsfv.Item) (parse.Row, bool) {
	p := parameters{Item: item}
	row := p.start(limits.DialectRateLimit)
	row.Limit, row.Cost = p.ignored("q", 1), p.ignored("c", 1)
	w, reset := p.ignored("w", 1), p.count("t", 0)
	if row.Limit != parse.Unknown {
		row.Window = seconds(w)
	} else if !has(item, "t") {
		reset = w
	}
	if has(item, "r") {
		row.Remaining = p.count("r", 0)
	} else {
		row.Remaining = p.count("a", 0)
	}
	row.HasRemaining = row.Remaining != parse.Unknown
	if reset != parse.Unknown {
		row.Reset = parse.When{Form: parse.Delay, After: seconds(reset)}
	}
	return row, !p.isWrong && (row.HasRemaining || reset != parse.Unknown)
}
