package fleet

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/headway-go/headway/fleet/internal/store"
)

// Values in the store are JSON, with the store.Version of the format. Times are milliseconds of the store's clock
// since 1970, and windows are milliseconds. Readers do not trust the values: one impossible number makes the
// whole value invalid.

const (
	mostLimits = 24      // of a partition, as in package pacer
	mostUnits  = 1 << 53 // the largest integer that JSON and Lua represent exactly
	mostName   = 64
)

// A record is one member's report on one partition.
type record struct {
	Version int     `json:"v"`
	Left    bool    `json:"x,omitempty"` // the member has closed its Fleet
	Again   bool    `json:"o,omitempty"` // the member has had an agreement before
	Held    int64   `json:"h,omitempty"` // the end of the hold on all requests
	Limits  []usage `json:"l,omitempty"`
}

// A usage is how much one member uses of one limit.
type usage struct {
	ID     string `json:"i"`
	Quota  int64  `json:"q"`
	Window int64  `json:"w"`
	Reset  int64  `json:"d,omitempty"` // the longest reset of late, if the server does not report the window
	Ends   int64  `json:"e,omitempty"` // the end of the open window; 0: unknown
	Used   int64  `json:"u,omitempty"` // units in the open window

	// The part that the member uses now.
	Units int64   `json:"a,omitempty"`
	Next  int64   `json:"n,omitempty"`
	Share float64 `json:"s,omitempty"`

	Refills bool `json:"f,omitempty"`

	Busy bool    `json:"b,omitempty"` // requests wait most of the time, so the member needs as much as it can get
	Rest float64 `json:"r,omitempty"` // units that it expects to need in the rest of the window
	Each float64 `json:"p,omitempty"` // units that it expects to need in a whole window

	Remaining int64 `json:"c"` // the server's last report; −1: none
	Reported  int64 `json:"t,omitempty"`
	Held      int64 `json:"h,omitempty"`
}

// An agreement is what one member is allotted of one partition.
type agreement struct {
	Version int    `json:"v"`
	Made    int64  `json:"t"`
	Members int    `json:"m"`
	Held    int64  `json:"h,omitempty"`
	Limits  []part `json:"l,omitempty"`
}

// A part is what one member is allotted of one limit.
type part struct {
	ID     string  `json:"i"`
	Window int64   `json:"w,omitempty"`
	Ends   int64   `json:"e,omitempty"`
	Units  int64   `json:"a,omitempty"`
	Next   int64   `json:"n,omitempty"`
	Share  float64 `json:"s,omitempty"`
	Full   bool    `json:"f,omitempty"`

	Refills bool `json:"b,omitempty"` // at least one member has found that the limit refills

	// The largest parts that the member may be using, until its next record shows which ones it uses.
	MostUnits int64   `json:"A,omitempty"`
	MostNext  int64   `json:"N,omitempty"`
	MostShare float64 `json:"S,omitempty"`

	Remaining int64 `json:"c"`
	Reported  int64 `json:"r,omitempty"`
	Held      int64 `json:"h,omitempty"`
}

// A ledger is what a division keeps for the next one, beside the members' records.
type ledger struct {
	Version int     `json:"v"`
	Limits  []entry `json:"l,omitempty"`
}

// An entry is the ledger's state of one limit.
type entry struct {
	ID   string `json:"i"`
	Ends int64  `json:"e,omitempty"` // the end of the open window
	Turn int64  `json:"k,omitempty"` // the number of windows so far
}

var (
	errVersion = errors.New("of another version")
	errForeign = errors.New("not of this program")
)

func parseRecord(data string) (r record, err error) {
	if err = decode(data, &r); err != nil {
		return record{}, err
	}
	ok := r.Version == store.Version && areTimes(r.Held) && len(r.Limits) <= mostLimits
	for i := range r.Limits {
		ok = ok && r.Limits[i].isValid()
	}
	return checked(r, r.Version, ok)
}

func parseAgreement(data string) (a agreement, err error) {
	if err = decode(data, &a); err != nil {
		return agreement{}, err
	}
	ok := areTimes(a.Made, a.Held) && a.Members > 0 && a.Members <= store.MostMembers && len(a.Limits) <= mostLimits
	for i := range a.Limits {
		ok = ok && a.Limits[i].isValid()
	}
	return checked(a, a.Version, ok)
}

func parseLedger(data string) (l ledger, err error) {
	if err = decode(data, &l); err != nil {
		return ledger{}, err
	}
	ok := len(l.Limits) <= mostLimits
	for _, e := range l.Limits {
		ok = ok && isName(e.ID) && areTimes(e.Ends, e.Turn)
	}
	return checked(l, l.Version, ok)
}

func decode(data string, v any) error {
	if len(data) > store.MostBytes || json.Unmarshal([]byte(data), v) != nil {
		return errForeign
	}
	return nil
}

// checked returns the value if its store.Version is known and it is valid, and otherwise an error.
func checked[T any](form T, v int, ok bool) (T, error) {
	var nothing T
	switch {
	case v != store.Version:
		return nothing, errVersion
	case !ok:
		return nothing, errForeign
	}
	return form, nil
}

// encode returns a record, an agreement or a ledger as JSON. None of them has a value that JSON cannot
// represent.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// isName reports whether s is a valid name: short, and of characters that JSON does not escape.
func isName(s string) bool {
	return s != "" && len(s) <= mostName && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"\\<>&`, c)
	})
}

func (u *usage) isValid() bool {
	return isName(u.ID) && u.Quota > 0 && u.Window > 0 && areTimes(u.Window, u.Reset, u.Ends, u.Reported, u.Held) &&
		areUnits(u.Quota, u.Used, u.Units, u.Next) && isRemaining(u.Remaining) &&
		isShare(u.Share) && isAmount(u.Rest) && isAmount(u.Each)
}

func (p *part) isValid() bool {
	return isName(p.ID) && areTimes(p.Window, p.Ends, p.Reported, p.Held) &&
		areUnits(p.Units, p.Next, p.MostUnits, p.MostNext) && isRemaining(p.Remaining) &&
		isShare(p.Share) && isShare(p.MostShare)
}

func areUnits(all ...int64) bool { return slices.Min(all) >= 0 && slices.Max(all) <= mostUnits }
func areTimes(all ...int64) bool { return slices.Min(all) >= 0 && slices.Max(all) <= store.MostTime }
func isRemaining(n int64) bool   { return n == -1 || areUnits(n) }
func isAmount(x float64) bool    { return x >= 0 && x <= mostUnits }
func isShare(x float64) bool     { return x >= 0 && x <= 1 && !math.IsNaN(x) }

// limit returns the use of the limit with that ID; nil if there is none.
func (r *record) limit(id string) *usage {
	for i := range r.Limits {
		if r.Limits[i].ID == id {
			return &r.Limits[i]
		}
	}
	return nil
}

// limit returns the part of the limit with that ID; nil if there is none.
func (a *agreement) limit(id string) *part {
	for i := range a.Limits {
		if a.Limits[i].ID == id {
			return &a.Limits[i]
		}
	}
	return nil
}
