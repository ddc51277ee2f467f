package fleet

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func seedForms(f *testing.F) {
	f.Helper()
	for _, row := range badAll() {
		if len(row.new) < 1000 { // the fuzzer makes long values itself
			f.Add(row.new)
		}
	}
	for _, text := range []string{aRecord, anAgreement, aLedger, "", "{}", `{"v":1}`, `{"V":1,"L":[{}]}`, `{"v":1,"l":null}`} {
		f.Add(text)
	}
}

func requireUnits(t *testing.T, all ...int64) {
	t.Helper()
	for _, n := range all {
		require.GreaterOrEqual(t, n, int64(0))
		require.LessOrEqual(t, n, int64(mostUnits))
	}
}

func requireTimes(t *testing.T, all ...int64) {
	t.Helper()
	for _, n := range all {
		require.GreaterOrEqual(t, n, int64(0))
		require.LessOrEqual(t, n, int64(mostTime))
	}
}

func requireShares(t *testing.T, most float64, all ...float64) {
	t.Helper()
	for _, x := range all {
		require.False(t, math.IsNaN(x))
		require.GreaterOrEqual(t, x, 0.0)
		require.LessOrEqual(t, x, most)
	}
}

func FuzzParseRecord(f *testing.F) {
	seedForms(f)
	f.Fuzz(func(t *testing.T, data string) {
		r, err := parseRecord(data)
		if err != nil {
			return
		}
		require.Equal(t, version, r.Version)
		require.LessOrEqual(t, len(r.Limits), mostLimits)
		requireTimes(t, r.Held)
		for i := range r.Limits {
			u := &r.Limits[i]
			require.NotEmpty(t, u.ID)
			require.LessOrEqual(t, len(u.ID), mostName)
			require.Positive(t, u.Quota)
			require.Positive(t, u.Window)
			requireUnits(t, u.Quota, u.Used, u.Units, u.Next, u.Remaining+1)
			requireTimes(t, u.Window, u.Ends, u.Reported, u.Held)
			requireShares(t, 1, u.Share)
			requireShares(t, mostUnits, u.Rest, u.Each)
		}
		again, err := parseRecord(encode(r))
		require.NoError(t, err)
		require.Equal(t, encode(r), encode(again))
	})
}

func FuzzParseAgreement(f *testing.F) {
	seedForms(f)
	f.Fuzz(func(t *testing.T, data string) {
		a, err := parseAgreement(data)
		if err != nil {
			return
		}
		require.Equal(t, version, a.Version)
		require.Positive(t, a.Members)
		require.LessOrEqual(t, a.Members, mostMembers)
		require.LessOrEqual(t, len(a.Limits), mostLimits)
		requireTimes(t, a.Made, a.Held)
		for i := range a.Limits {
			p := &a.Limits[i]
			require.NotEmpty(t, p.ID)
			requireUnits(t, p.Units, p.Next, p.MostUnits, p.MostNext, p.Remaining+1)
			requireTimes(t, p.Ends, p.Reported, p.Held)
			requireShares(t, 1, p.Share, p.MostShare)
		}
		again, err := parseAgreement(encode(a))
		require.NoError(t, err)
		require.Equal(t, encode(a), encode(again))
	})
}

func FuzzParseLedger(f *testing.F) {
	seedForms(f)
	f.Fuzz(func(t *testing.T, data string) {
		l, err := parseLedger(data)
		if err != nil {
			return
		}
		require.Equal(t, version, l.Version)
		require.LessOrEqual(t, len(l.Limits), mostLimits)
		for _, e := range l.Limits {
			require.NotEmpty(t, e.ID)

			requireTimes(t, e.Ends, e.Turn)
		}
		again, err := parseLedger(encode(l))
		require.NoError(t, err)
		require.Equal(t, encode(l), encode(again))
	})
}

// FuzzContents lets two members and the ledger have arbitrary values. The resulting agreements must be valid.
func FuzzContents(f *testing.F) {
	f.Add(int64(1000000), int64(0), int64(999000), aRecord, aRecord, anAgreement, aLedger)
	f.Add(int64(1000000), int64(999000), int64(0), aRecord, "", "", "")
	f.Add(int64(mostTime), int64(0), int64(mostTime), aRecord, `{"v":1,"l":[{"i":"id","q":9007199254740992,"w":1,"c":-1}]}`, anAgreement, aLedger)
	f.Add(int64(0), int64(mostTime), int64(0), `{"v":1,"x":true}`, aRecord, anAgreement, `{"v":1,"l":[{"i":"id","e":8796093022208,"k":8796093022208}]}`)
	f.Fuzz(func(t *testing.T, now, born, at int64, one, other, told, ledger string) {
		if !areTimes(now) || !areTimes(born) || !areTimes(at) {
			return // parseReply and parseFields reject these
		}
		c := contents{
			claim: "1", born: born, written: at, ledger: ledger,
			records: map[string]stamped{"a": {at, one}, "b": {now, other}}, agreements: map[string]string{"a": told},
		}
		l, all, _ := agree(c.table(now))
		_, err := parseLedger(encode(l))
		require.NoError(t, err)
		for _, a := range all {
			_, err := parseAgreement(encode(a))
			require.NoError(t, err)
		}
	})
}
