package fleet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
)

const (
	aRecord     = `{"v":1,"x":true,"o":true,"h":8,"l":[{"i":"id","q":60,"w":1000,"e":7,"u":3,"a":20,"n":21,"s":0.5,"f":true,"b":true,"r":1.5,"p":2.5,"c":30,"t":5,"h":6}]}`
	anAgreement = `{"v":1,"t":4,"m":2,"h":8,"l":[{"i":"id","e":7,"a":20,"n":21,"s":0.5,"f":true,"A":22,"N":23,"S":0.6,"c":30,"r":5,"h":6}]}`
	aLedger     = `{"v":1,"l":[{"i":"id","e":7,"k":8}]}`
)

func anyOf[T any](v T, err error) (any, error) { return v, err }

// parsers parse each form.
var parsers = map[string]func(string) (any, error){
	aRecord:     func(s string) (any, error) { return anyOf(parseRecord(s)) },
	anAgreement: func(s string) (any, error) { return anyOf(parseAgreement(s)) },
	aLedger:     func(s string) (any, error) { return anyOf(parseLedger(s)) },
}

// A change of a form, and whether the result is valid.
type change struct {
	old, new string
	want     error
}

// changes are those of all forms.
var changes = []change{
	{`"v":1`, `"v":2`, errVersion},
	{`"v":1,`, ``, errVersion},
	{`"v":1`, `"v":"1"`, errForeign},
	{`"v":1`, `"v":1,"later":{"x":[1]}`, nil},
	{`}]}`, `}]}{}`, errForeign},
	{`"l":[`, `"l":[5,`, errForeign},
	{`"v":1`, `"v":1,"z":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), nil},
	{`"v":1`, `"v":1,"z":` + strings.Repeat("[", 16000), errForeign},
	{`"v":1`, `"v":1,"z":"` + strings.Repeat("x", store.MostBytes) + `"`, errForeign},
	{`"i":"id"`, `"i":"` + strings.Repeat("x", mostName) + `"`, nil},
	{`"i":"id"`, `"i":"` + strings.Repeat("x", mostName+1) + `"`, errForeign},
	{`"i":"id"`, `"i":""`, errForeign},
	{`"i":"id"`, `"i":"\u0001"`, errForeign},
	{`"i":"id"`, `"i":"é"`, errForeign},
}

// wholes returns changes of fields with a whole number from least to most.
func wholes(least, most int64, fields ...string) (all []change) {
	for _, field := range fields {
		name, _, _ := strings.Cut(field, ":")
		for _, n := range []int64{least, most} {
			all = append(all, change{field, name + ":" + strconv.FormatInt(n, 10), nil})
		}
		for _, bad := range []string{fmt.Sprint(least - 1), fmt.Sprint(most + 1), "9223372036854775808", "1.5", "1e3", `"1"`, "NaN"} {
			all = append(all, change{field, name + ":" + bad, errForeign})
		}
	}
	return all
}

// fractions returns changes of fields with a number from 0 to most.
func fractions(most float64, fields ...string) (all []change) {
	for _, field := range fields {
		name, _, _ := strings.Cut(field, ":")
		for _, n := range []float64{0, most} {
			all = append(all, change{field, name + ":" + fmt.Sprint(n), nil})
		}
		for _, bad := range []string{fmt.Sprint(math.Nextafter(most, math.Inf(1))), "-1e-300", "1e999", "NaN", `"NaN"`} {
			all = append(all, change{field, name + ":" + bad, errForeign})
		}
	}
	return all
}

// Whatever is not exactly what a member writes is ignored as a whole.
func TestParse(t *testing.T) {
	for data, of := range map[string][][]change{
		aRecord: {
			wholes(0, store.MostTime, `"h":8`, `"e":7`, `"t":5`, `"h":6`), wholes(1, store.MostTime, `"w":1000`),
			wholes(0, mostUnits, `"u":3`, `"a":20`, `"n":21`), wholes(1, mostUnits, `"q":60`), wholes(-1, mostUnits, `"c":30`),
			fractions(1, `"s":0.5`), fractions(mostUnits, `"r":1.5`, `"p":2.5`),
		},
		anAgreement: {
			wholes(0, store.MostTime, `"t":4`, `"h":8`, `"e":7`, `"r":5`, `"h":6`), wholes(1, store.MostMembers, `"m":2`),
			wholes(0, mostUnits, `"a":20`, `"n":21`, `"A":22`, `"N":23`), wholes(-1, mostUnits, `"c":30`),
			fractions(1, `"s":0.5`, `"S":0.6`),
		},
		aLedger: {wholes(0, store.MostTime, `"e":7`, `"k":8`)},
	} {
		for _, c := range slices.Concat(append(of, changes)...) {
			changed := strings.Replace(data, c.old, c.new, 1)
			require.NotEqual(t, data, changed, c.old)
			got, err := parsers[data](changed)
			require.ErrorIs(t, err, c.want, changed)
			if c.want != nil {
				require.Zero(t, got, changed)
				continue
			}
			require.NoError(t, err, changed)
			again, err := parsers[data](encode(got))
			require.NoError(t, err)
			require.Equal(t, got, again)
		}
		for _, text := range []string{"", " ", "null", "5", "[]", "x", "{", "\x00", "1 " + data} {
			_, err := parsers[data](text)
			require.Error(t, err, "%q", text)
		}
		_, err := parsers[data](data + strings.Repeat(" ", store.MostBytes-len(data)))
		require.NoError(t, err)
		_, err = parsers[data](data + strings.Repeat(" ", store.MostBytes-len(data)+1))
		require.ErrorIs(t, err, errForeign)
		for n := range mostLimits + 2 {
			before, limits, _ := strings.Cut(strings.TrimSuffix(data, "]}"), "[")
			_, err := parsers[data](before + "[" + strings.TrimSuffix(strings.Repeat(limits+",", n), ",") + "]}")
			require.Equal(t, n > mostLimits, err != nil, "%d limits", n)
		}
	}
}

// Two members and the ledger may have any values. What is agreed on is valid, or members would ignore it.
func FuzzContents(f *testing.F) {
	f.Add(int64(1000000), int64(0), int64(999000), aRecord, aRecord, anAgreement, aLedger)
	f.Add(int64(1000000), int64(999000), int64(0), aRecord, "", "", "")
	f.Add(int64(store.MostTime), int64(0), int64(store.MostTime), aRecord, `{"v":1,"l":[{"i":"id","q":9007199254740992,"w":1,"c":-1}]}`, anAgreement, aLedger)
	f.Add(int64(0), int64(store.MostTime), int64(0), `{"v":1,"x":true}`, aRecord, anAgreement, `{"v":1,"l":[{"i":"id","e":8796093022208,"k":8796093022208}]}`)
	const (
		fair  = `{"v":1,"l":[{"i":"id","q":60,"w":60000,"e":1060000,"u":3,"a":30,"n":30,"s":0.5,"b":true,"c":-1}]}`
		all   = `{"v":1,"l":[{"i":"id","q":60,"w":60000,"e":1060000,"u":9007199254740992,"a":9007199254740992,"n":9007199254740992,"s":0.5,"b":true,"c":-1}]}`
		needy = `{"v":1,"l":[{"i":"id","q":60,"w":60000,"e":1060000,"r":9007199254740992,"p":9007199254740992,"c":-1}]}`
	)
	for _, greedy := range []string{all, needy} {
		f.Add(int64(1000000), int64(1), int64(999990), greedy, fair, "", "")
		f.Add(int64(1000000), int64(1), int64(999990), greedy, all, "", "")
	}
	f.Fuzz(func(t *testing.T, now, born, at int64, one, other, told, ledger string) {
		if !areTimes(now, born, at) {
			return // stores reject these
		}
		c := store.Contents{
			Claim: "1", Born: born, Written: at, Ledger: ledger,
			Records: map[string]store.Stamped{"a": {At: at, Record: one}, "b": {At: now, Record: other}}, Agreements: map[string]string{"a": told},
		}
		l, all, _ := agree(parseContents(&c, now))
		_, err := parseLedger(encode(l))
		require.NoError(t, err)
		for _, a := range all {
			got, err := parseAgreement(encode(a))
			require.NoError(t, err)
			require.Equal(t, a, got)
		}
	})
}
