package fuzz

import (
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dunglas/httpsfv"
	"github.com/stretchr/testify/require"

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
		checkList(t, "Ratelimit-Policy", value, list, err)
		if err == nil || dictionaryErr != nil {
			checkList(t, "Ratelimit", value, list, err)
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

// checkList checks that a field is malformed if the list is, and has at most a row of each item.
func checkList(t *testing.T, field, value string, list httpsfv.List, err error) {
	t.Helper()
	got := parse.Header(http.Header{field: {value}})
	if len(got.Problems) > 0 && errors.Is(got.Problems[0], parse.ErrTooMany) {
		return // RFC 9651 §3.1 and §3.1.2 ask for no more
	}
	require.Equal(t, err != nil, isBroken(&got) || err != nil && len(got.Problems) > 0, "httpsfv says %v, and parse %v", err, got.Problems)
	var names []string
	for _, member := range list {
		if item, isItem := member.(httpsfv.Item); isItem {
			switch name := item.Value.(type) {
			case string:
				names = append(names, name)
			case httpsfv.Token:
				names = append(names, string(name))
			case int64: // drafts 04 to 07
				names = append(names, "")
			}
		}
	}
	for _, row := range got.Rows {
		i := slices.Index(names, row.Name)
		require.GreaterOrEqual(t, i, 0, "no such item, or not in order: %+v", row)
		names = names[i+1:]
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
