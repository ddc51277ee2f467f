package fleet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A parseRow is a change of a valid JSON value, and whether the result is valid.
type parseRow struct {
	name     string
	old, new string // part of the JSON, and its replacement
	want     error
}

const (
	aRecord     = `{"v":1,"x":true,"o":true,"h":8,"l":[{"i":"id","q":60,"w":1000,"e":7,"u":3,"a":20,"n":21,"s":0.5,"f":true,"b":true,"r":1.5,"p":2.5,"c":30,"t":5,"h":6}]}`
	anAgreement = `{"v":1,"t":4,"m":2,"h":8,"l":[{"i":"id","e":7,"a":20,"n":21,"s":0.5,"f":true,"A":22,"N":23,"S":0.6,"c":30,"r":5,"h":6}]}`
	aLedger     = `{"v":1,"l":[{"i":"id","e":7,"k":8}]}`
)

// badNumber returns rows with valid and invalid values in place of old, which begins a field with a number from 0 to most.
func badNumber(name, old string, most int64) []parseRow {
	field, _, _ := strings.Cut(old, ":")
	row := func(what, value string, want error) parseRow {
		return parseRow{name: name + " " + what, old: old, new: field + ":" + value, want: want}
	}
	return []parseRow{
		row("0", "0", nil),
		row("the most", fmt.Sprint(most), nil),
		row("more than the most", fmt.Sprint(most+1), errForeign),
		row("the most of all", "9223372036854775807", errForeign),
		row("more than a number", "9223372036854775808", errForeign),
		row("less than 0", "-1", errForeign),
		row("a fraction", "1.5", errForeign),
		row("exponential", "1e3", errForeign),
		row("a string", `"1"`, errForeign),
		row("no number", "NaN", errForeign),
	}
}

// badShare is badNumber for fractions from 0 to most.
func badShare(name, old string, most float64) []parseRow {
	field, _, _ := strings.Cut(old, ":")
	row := func(what, value string, want error) parseRow {
		return parseRow{name: name + " " + what, old: old, new: field + ":" + value, want: want}
	}
	return []parseRow{
		row("0", "0", nil),
		row("the most", fmt.Sprint(most), nil),
		row("more than the most", fmt.Sprint(math.Nextafter(most, math.Inf(1))), errForeign),
		row("less than 0", "-1e-300", errForeign),
		row("infinite", "1e999", errForeign),
		row("no number", "NaN", errForeign),
		row("no number in quotes", `"NaN"`, errForeign),
	}
}

// badID returns rows for `"i":"id"`.
func badID() []parseRow {
	row := func(name, id string, want error) parseRow {
		return parseRow{name: "name " + name, old: `"i":"id"`, new: `"i":` + id, want: want}
	}
	return []parseRow{
		row("as long as may be", `"`+strings.Repeat("x", mostName)+`"`, nil),
		row("too long", `"`+strings.Repeat("x", mostName+1)+`"`, errForeign),
		row("empty", `""`, errForeign),
		row("null", `null`, errForeign),
		row("that is longer in JSON", `"\u0001"`, errForeign),
		row("with a quote", `"\""`, errForeign),
		row("with a sign of HTML", `"<"`, errForeign),
		row("not ASCII", `"é"`, errForeign),
		row("a number", `5`, errForeign),
	}
}

// badAll returns rows for all three types.
func badAll() []parseRow {
	return []parseRow{
		{name: "as it is"},
		{name: "another version", old: `"v":1`, new: `"v":2`, want: errVersion},
		{name: "no version", old: `"v":1,`, new: ``, want: errVersion},
		{name: "version 0", old: `"v":1`, new: `"v":0`, want: errVersion},
		{name: "a version that is no number", old: `"v":1`, new: `"v":"1"`, want: errForeign},
		{name: "a field that is not known", old: `"v":1`, new: `"v":1,"later":{"x":[1]}`},
		{name: "cut off", old: `}]}`, new: `}]`, want: errForeign},
		{name: "followed by more", old: `}]}`, new: `}]}{}`, want: errForeign},
		{name: "limits that are none", old: `"l":[`, new: `"l":[5,`, want: errForeign},
		{name: "limits null", old: `"l":[`, new: `"l":null,"z":[`},
		{name: "deep", old: `"v":1`, new: `"v":1,"z":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)},
		{name: "too deep", old: `"v":1`, new: `"v":1,"z":` + strings.Repeat("[", 16000), want: errForeign},
		{name: "too long", old: `"v":1`, new: `"v":1,"z":"` + strings.Repeat("x", mostBytes) + `"`, want: errForeign},
	}
}

func testParse(t *testing.T, data string, rows []parseRow, parse func(string) (any, error)) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			changed := strings.Replace(data, row.old, row.new, 1)
			require.True(t, row.old == row.new || changed != data, "the row is about something else")
			got, err := parse(changed)
			require.ErrorIs(t, err, row.want)
			if row.want != nil {
				require.Zero(t, got, "nothing of it is used")
				return
			}
			require.NoError(t, err)
			again, err := parse(encode(got))
			require.NoError(t, err)
			require.Equal(t, got, again)
		})
	}
	for _, text := range []string{"", " ", "null", "5", "[]", "x", `"v"`, "{", "\x00", "-", "1 " + data} {
		_, err := parse(text)
		require.Error(t, err, "%q", text)
	}
	for n := range mostLimits + 2 {
		first := strings.Index(data, "[") + 1
		limit := data[first:strings.Index(data, "]")]
		_, err := parse(data[:first] + strings.TrimSuffix(strings.Repeat(limit+",", n), ",") + "]}")
		require.Equal(t, n > mostLimits, err != nil, "%d limits", n)
	}
}

func TestParseRecord(t *testing.T) {
	rows := slices.Concat(badAll(), badID(),
		badNumber("held", `"h":8`, mostTime),
		badNumber("ends", `"e":7`, mostTime), badNumber("used", `"u":3`, mostUnits), badNumber("units", `"a":20`, mostUnits),
		badNumber("next", `"n":21`, mostUnits), badNumber("told", `"t":5`, mostTime), badNumber("limit held", `"h":6`, mostTime),
		badShare("share", `"s":0.5`, 1), badShare("rest", `"r":1.5`, mostUnits), badShare("each", `"p":2.5`, mostUnits),
		positive(badNumber("quota", `"q":60`, mostUnits)), positive(badNumber("window", `"w":1000`, mostTime)),
		unknown(badNumber("remaining", `"c":30`, mostUnits)),
	)
	testParse(t, aRecord, rows, func(s string) (any, error) { return anyOf(parseRecord(s)) })
}

func TestParseAgreement(t *testing.T) {
	rows := slices.Concat(badAll(), badID(),
		badNumber("made", `"t":4`, mostTime), positive(badNumber("members", `"m":2`, mostMembers)),
		badNumber("held", `"h":8`, mostTime),
		badNumber("ends", `"e":7`, mostTime), badNumber("units", `"a":20`, mostUnits), badNumber("next", `"n":21`, mostUnits),
		badNumber("most units", `"A":22`, mostUnits), badNumber("most next", `"N":23`, mostUnits),
		badShare("share", `"s":0.5`, 1), badShare("most share", `"S":0.6`, 1),
		unknown(badNumber("remaining", `"c":30`, mostUnits)), badNumber("told", `"r":5`, mostTime), badNumber("limit held", `"h":6`, mostTime),
	)
	testParse(t, anAgreement, rows, func(s string) (any, error) { return anyOf(parseAgreement(s)) })
}

func TestParseLedger(t *testing.T) {
	rows := slices.Concat(badAll(), badID(),
		badNumber("ends", `"e":7`, mostTime), badNumber("turn", `"k":8`, mostTime),
	)
	testParse(t, aLedger, rows, func(s string) (any, error) { return anyOf(parseLedger(s)) })
}

// positive changes the rows for a number that must not be 0.
func positive(rows []parseRow) []parseRow {
	rows[0].want = errForeign
	return rows
}

// unknown changes the rows for a number that may be −1.
func unknown(rows []parseRow) []parseRow {
	for i := range rows {
		if strings.HasSuffix(rows[i].name, "less than 0") {
			rows[i].want = nil
		}
	}
	field, _, _ := strings.Cut(rows[0].old, ":")
	return append(rows, parseRow{name: "less than unknown", old: rows[0].old, new: field + ":-2", want: errForeign})
}

func anyOf[T any](v T, err error) (any, error) { return v, err }

// TestParseTellsFormsApart shows that no type is taken for another one if that would matter.
func TestParseTellsFormsApart(t *testing.T) {
	forms := map[string]string{"record": aRecord, "agreement": anAgreement, "ledger": aLedger}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		_, err := parseRecord(forms[name])
		require.Equal(t, name != "record", err != nil, name)
		_, err = parseAgreement(forms[name])
		require.Equal(t, name != "agreement", err != nil, name)
	}
}

// TestEncodeFits shows that the longest values are short enough to be accepted.
func TestEncodeFits(t *testing.T) {
	const almost = 1 - 1.0/3
	r := record{Version: version, Left: true, Again: true, Held: mostTime}
	a := agreement{Version: version, Made: mostTime, Members: mostMembers, Held: mostTime}
	l := ledger{Version: version}
	for range mostLimits {
		id := strings.Repeat("x", mostName)
		r.Limits = append(r.Limits, usage{
			ID: id, Quota: mostUnits, Window: mostTime, Ends: mostTime, Used: mostUnits, Units: mostUnits, Next: mostUnits,
			Share: almost, Refills: true, Busy: true, Rest: mostUnits * almost, Each: mostUnits * almost,
			Remaining: mostUnits, Reported: mostTime, Held: mostTime,
		})
		a.Limits = append(a.Limits, part{
			ID: id, Ends: mostTime, Units: mostUnits, Next: mostUnits, Share: almost, Full: true,
			MostUnits: mostUnits, MostNext: mostUnits, MostShare: almost, Remaining: mostUnits, Reported: mostTime, Held: mostTime,
		})
		l.Limits = append(l.Limits, entry{ID: id, Ends: mostTime, Turn: mostTime})
	}
	gotRecord, err := parseRecord(encode(r))
	require.NoError(t, err)
	require.Equal(t, r, gotRecord)
	gotAgreement, err := parseAgreement(encode(a))
	require.NoError(t, err)
	require.Equal(t, a, gotAgreement)
	gotLedger, err := parseLedger(encode(l))
	require.NoError(t, err)
	require.Equal(t, l, gotLedger)
}
