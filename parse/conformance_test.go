package parse

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// leastSFCases is the number of cases of each type in the suite of the HTTP working group when this test
// was written. Fewer cases mean that files are missing.
func leastSFCases() map[string]int {
	return map[string]int{"item": 840, "list": 319, "dictionary": 432}
}

type sfCase struct {
	Name     string   `json:"name"`
	Raw      []string `json:"raw"`
	Type     string   `json:"header_type"`
	Expected any      `json:"expected"`
	MustFail bool     `json:"must_fail"`
	CanFail  bool     `json:"can_fail"`
}

// TestStructuredFieldSuite runs the items, lists and dictionaries of
// github.com/httpwg/structured-field-tests. A must_fail case must fail. A can_fail case may fail, or have
// the value of the suite. The suite is not part of this repository: HEADWAY_SF_TESTS is the path of its
// folder.
func TestStructuredFieldSuite(t *testing.T) {
	folder := os.Getenv("HEADWAY_SF_TESTS")
	if folder == "" {
		t.Skip("set HEADWAY_SF_TESTS to the folder of a copy of the structured-field-tests")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "HEADWAY_SF_TESTS=%q holds no structured-field-tests", folder)
	found := map[string]int{}
	for _, file := range files {
		cases := sfCases(t, file)
		for _, c := range cases {
			found[c.Type]++
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			for _, c := range cases {
				c.check(t)
			}
		})
	}
	for kind, least := range leastSFCases() {
		require.GreaterOrEqual(t, found[kind], least, "cases of type %s in the suite", kind)
	}
}

func sfCases(t *testing.T, file string) (cases []sfCase) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	d := json.NewDecoder(f)
	d.UseNumber() // distinguishes 1.0 from 1
	require.NoError(t, d.Decode(&cases))
	return cases
}

func (c *sfCase) check(t *testing.T) {
	t.Helper()
	got, err := c.parse(t)
	c.checkFields(t, err)
	switch {
	case c.MustFail:
		require.Error(t, err, "%s: %q", c.Name, c.Raw)
	case c.CanFail && err != nil:
	default:
		require.NoError(t, err, "%s: %q", c.Name, c.Raw)
		require.Equal(t, sfNormal(t, c.Expected), got, "%s: %q", c.Name, c.Raw)
	}
}

// parse reads the case's lines and returns the value in the suite's notation.
func (c *sfCase) parse(t *testing.T) (any, error) {
	t.Helper()
	value := scan(c.Raw).s
	switch c.Type {
	case "list":
		members, err := sfList(value)
		return sfNotation(members), err
	case "dictionary":
		pairs, err := sfDictionary(value)
		return sfPairsNotation(pairs, sfMemberNotation), err
	case "item":
		item, err := sfItem(value)
		return sfMemberNotation(item), err
	}
	t.Fatalf("%s: unknown type %q", c.Name, c.Type)
	return nil, nil
}

// checkFields checks that the readers of the fields, which keep only the parts they need, report the same
// syntax errors.
func (c *sfCase) checkFields(t *testing.T, want error) {
	t.Helper()
	s, policies := scan(c.Raw), scan(c.Raw)
	switch c.Type {
	case "list":
		policies.items(limits.DialectPolicy, new([]Row))
		require.Equal(t, want, policies.err, "%s: %q", c.Name, c.Raw)
		s.items(limits.DialectRateLimit, new([]Row))
	case "dictionary":
		s.draft07(new([]Row))
	default:
		return
	}
	require.Equal(t, want, s.err, "%s: %q", c.Name, c.Raw)
}

func sfNotation(members []sfMember) []any {
	all := []any{}
	for _, m := range members {
		all = append(all, sfMemberNotation(m))
	}
	return all
}

func sfMemberNotation(m sfMember) any {
	params := sfPairsNotation(m.params, func(m sfMember) any { return sfValue(m.value) })
	if m.value.kind == kindInnerList {
		return []any{sfNotation(m.inner), params}
	}
	return []any{sfValue(m.value), params}
}

func sfPairsNotation(pairs []sfPair, value func(sfMember) any) []any {
	all := []any{}
	for _, p := range pairs {
		all = append(all, []any{p.key, value(p.member)})
	}
	return all
}

// sfTyped is a value whose type JSON does not have.
type sfTyped struct {
	kind  kind
	value any
}

func sfValue(b bare) any {
	switch b.kind {
	case kindString:
		return b.text
	case kindBoolean:
		return b.num == 1
	case kindToken, kindDisplay:
		return sfTyped{b.kind, b.text}
	case kindBytes:
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(b.text, "="))
		if err != nil {
			return err
		}
		return sfTyped{b.kind, string(raw)}
	}
	return sfTyped{b.kind, b.num}
}

// sfNormal converts the suite's JSON to the notation of sfNotation.
func sfNormal(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		if !strings.Contains(v.String(), ".") {
			n, err := v.Int64()
			require.NoError(t, err)
			return sfTyped{kindInteger, n}
		}
		f, err := v.Float64()
		require.NoError(t, err)
		return sfTyped{kindDecimal, int64(math.Round(f * 1000))}
	case []any:
		all := []any{}
		for _, e := range v {
			all = append(all, sfNormal(t, e))
		}
		return all
	case map[string]any:
		return sfNormalTyped(t, v)
	}
	return v
}

func sfNormalTyped(t *testing.T, v map[string]any) any {
	t.Helper()
	switch text, _ := v["value"].(string); v["__type"] {
	case "token":
		return sfTyped{kindToken, text}
	case "displaystring":
		return sfTyped{kindDisplay, text}
	case "binary":
		raw, err := base32.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		return sfTyped{kindBytes, string(raw)}
	case "date":
		n, err := v["value"].(json.Number).Int64()
		require.NoError(t, err)
		return sfTyped{kindDate, n}
	}
	t.Fatalf("unknown type %v", v["__type"])
	return nil
}
