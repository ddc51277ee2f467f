package fleet

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
)

// What is in the store is JSON, with the version of its form. Times are milliseconds
// of the store's own clock since 1970, windows milliseconds. Whoever reads it does not
// trust it: what cannot be is refused as a whole, as from another program.

const (
	version    = 1
	mostLimits = 24       // of a partition, as package pacer has it
	mostBytes  = 16 << 10 // of one record or agreement
	mostUnits  = 1 << 53  // which JSON and Lua can tell from the next number
	mostTime   = 1 << 43  // the year 2248, which in nanoseconds still is a number
	mostName   = 64
)

// A record is what one member tells of one partition.
type record struct {
	Version int     `json:"v"`
	Left    bool    `json:"x,omitempty"` // the member has closed
	Again   bool    `json:"o,omitempty"` // it was told its parts before
	Held    int64   `json:"h,omitempty"` // the end of a hold on everything
	Late    int64   `json:"d,omitempty"` // nanoseconds by which the server tells times too early
	Limits  []usage `json:"l,omitempty"`
}

// A usage is what one member uses of one limit.
type usage struct {
	ID     string `json:"i"`
	Quota  int64  `json:"q"`
	Window int64  `json:"w"`
	Ends   int64  `json:"e,omitempty"` // of the open window; 0: not known
	Used   int64  `json:"u,omitempty"` // units in it

	// The part that the member goes by.
	Units int64   `json:"a,omitempty"`
	Next  int64   `json:"n,omitempty"`
	Share float64 `json:"s,omitempty"`

	Refills bool `json:"f,omitempty"`

	Busy bool    `json:"b,omitempty"` // requests wait: it needs all that it can get
	Rest float64 `json:"r,omitempty"` // units that it expects to need in the rest of the window
	Each float64 `json:"p,omitempty"` // and in each window

	Remaining int64 `json:"c"` // as the server told last; −1: never
	Told      int64 `json:"t,omitempty"`
	Held      int64 `json:"h,omitempty"`
}

// An agreement is what one member is told of one partition.
type agreement struct {
	Version int    `json:"v"`
	Made    int64  `json:"t"`
	Members int    `json:"m"`
	Held    int64  `json:"h,omitempty"`
	Late    int64  `json:"d,omitempty"`
	Limits  []part `json:"l,omitempty"`
}

// A part is what one member is told of one limit.
type part struct {
	ID    string  `json:"i"`
	Ends  int64   `json:"e,omitempty"`
	Units int64   `json:"a,omitempty"`
	Next  int64   `json:"n,omitempty"`
	Share float64 `json:"s,omitempty"`
	Full  bool    `json:"f,omitempty"`

	Refills bool `json:"b,omitempty"` // as any member has found

	// The most of each that the member may go by, until its next record tells.
	MostUnits int64   `json:"A,omitempty"`
	MostNext  int64   `json:"N,omitempty"`
	MostShare float64 `json:"S,omitempty"`

	Remaining int64 `json:"c"`
	Told      int64 `json:"r,omitempty"`
	Held      int64 `json:"h,omitempty"`
}

// A ledger is what is kept of a partition besides its members.
type ledger struct {
	Version int     `json:"v"`
	Limits  []entry `json:"l,omitempty"`
}

// An entry is what is kept of one limit.
type entry struct {
	ID   string `json:"i"`
	Ends int64  `json:"e,omitempty"` // of the open window
	Turn int64  `json:"k,omitempty"` // windows so far
}

var (
	errVersion = errors.New("of another version")
	errForeign = errors.New("not of this program")
)

func parseRecord(data string) (r record, err error) {
	if err = decode(data, &r); err != nil {
		return record{}, err
	}
	ok := r.Version == version && isTime(r.Held) && isTime(r.Late) && len(r.Limits) <= mostLimits
	for i := range r.Limits {
		u := &r.Limits[i]
		ok = ok && isName(u.ID) && u.Quota > 0 && isUnits(u.Quota) && u.Window > 0 && isTime(u.Window) && isTime(u.Ends) &&
			isUnits(u.Used) && isUnits(u.Units) && isUnits(u.Next) && isShare(u.Share) && isAmount(u.Rest) && isAmount(u.Each) &&
			(u.Remaining == -1 || isUnits(u.Remaining)) && isTime(u.Told) && isTime(u.Held)
	}
	return believe(r, r.Version, ok)
}

func parseAgreement(data string) (a agreement, err error) {
	if err = decode(data, &a); err != nil {
		return agreement{}, err
	}
	ok := isTime(a.Made) && a.Members > 0 && a.Members <= mostMembers && isTime(a.Held) && isTime(a.Late) && len(a.Limits) <= mostLimits
	for i := range a.Limits {
		p := &a.Limits[i]
		ok = ok && isName(p.ID) && isTime(p.Ends) && isUnits(p.Units) && isUnits(p.Next) && isShare(p.Share) &&
			isUnits(p.MostUnits) && isUnits(p.MostNext) && isShare(p.MostShare) &&
			(p.Remaining == -1 || isUnits(p.Remaining)) && isTime(p.Told) && isTime(p.Held)
	}
	return believe(a, a.Version, ok)
}

func parseLedger(data string) (l ledger, err error) {
	if err = decode(data, &l); err != nil {
		return ledger{}, err
	}
	ok := len(l.Limits) <= mostLimits
	for _, e := range l.Limits {
		ok = ok && isName(e.ID) && isTime(e.Ends) && isTime(e.Turn)
	}
	return believe(l, l.Version, ok)
}

func decode(data string, v any) error {
	if len(data) > mostBytes || json.Unmarshal([]byte(data), v) != nil {
		return errForeign
	}
	return nil
}

// believe returns what is of this version and can be, and nothing instead of what is not.
func believe[T any](form T, v int, ok bool) (T, error) {
	var nothing T
	switch {
	case v != version:
		return nothing, errVersion
	case !ok:
		return nothing, errForeign
	}
	return form, nil
}

// encode returns the form of a record, an agreement or a ledger, which has no values that have none.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// isName reports whether it is as short in JSON as it is.
func isName(s string) bool {
	return s != "" && len(s) <= mostName && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"\\<>&`, c)
	})
}

func isUnits(n int64) bool    { return n >= 0 && n <= mostUnits }
func isTime(n int64) bool     { return n >= 0 && n <= mostTime }
func isAmount(x float64) bool { return x >= 0 && x <= mostUnits }
func isShare(x float64) bool  { return x >= 0 && x <= 1 && !math.IsNaN(x) }

// limit is what a record tells of that limit; nil if nothing.
func (r *record) limit(id string) *usage {
	for i := range r.Limits {
		if r.Limits[i].ID == id {
			return &r.Limits[i]
		}
	}
	return nil
}

// limit is what an agreement tells of that limit; nil if nothing.
func (a *agreement) limit(id string) *part {
	for i := range a.Limits {
		if a.Limits[i].ID == id {
			return &a.Limits[i]
		}
	}
	return nil
}
