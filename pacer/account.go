package pacer

import (
	"cmp"
	"time"

	"github.com/headway-go/headway/limits"
)

// An account stores what every algorithm needs: the last q, w and r of a limit, and the own units since. Below it
// are the types that a reading, a forecast and a candidate are made of.
//
// An example with q = 100: the response to the 60th unit reports r = 40, and 65 units have been sent by now.
// Then 35 units remain, if nobody else uses the quota.
type account struct {
	quota  int64         // q; if never reported, the largest r so far
	window time.Duration // w; if never reported, estimated from t or from r, see source

	units     int64   // own units in all
	mark      int64   // own units up to the request whose response reported r
	remaining int64   // the last r; Unknown if never reported
	sent, at  Instant // when that request was sent, and its response received; before any r, at is the last report, or when the limit was assumed
	ahead     float32 // units sent after the mark that r may include already, or that may never count
	behind    float32 // units sent before the mark that r may not include yet

	toldReset int32 // the last t in seconds, see resetUnit
	unit      uint8 // index of the quota unit, see Partition.unit
	matched   bool  // responses report the partition keys that the caller passes
	quotaTold bool
	source    windowSource // source of the window

	ends ends
	kept *past // nil: nothing stored yet, see past
}

// A windowSource says where the length of a window comes from.
type windowSource uint8

const (
	fromReset  windowSource = iota // about the longest reset so far; or unknown
	fromServer                     // the server reports w
	fromCounts                     // no response reports a time, or only resets of at most 2 s: a guess at first, then measured from r, see period
)

// left returns how many units remain if none have come back since.
func (a *account) left() int64 { return max(0, a.remaining-(a.units-a.mark)) }

// leftIn returns how many units remain of a window: index 0 is the last reported one, 1 the next.
func (a *account) leftIn(index int64) int64 {
	switch index {
	case 0:
		return a.left()
	case int64(a.ends.index):
		return max(0, a.quota-(a.units-a.ends.began))
	default:
		return a.quota
	}
}

// believed returns all values that do not depend on the algorithm, so not the remaining quota.
func (a *account) believed() limits.Believed {
	b := limits.Believed{Quota: a.quota, Remaining: Unknown, Window: cmp.Or(a.window, Unknown)}
	if a.quota == 0 && !a.quotaTold {
		b.Quota = Unknown
	}
	return b
}

// refill returns q/w in units per nanosecond; 0 if unknown.
func (a *account) refill() float64 {
	if a.quota <= 0 || a.window <= 0 {
		return 0
	}
	return float64(a.quota) / float64(a.window)
}

// windows returns d as a number of windows.
func (a *account) windows(d time.Duration) float64 { return float64(d) / float64(max(a.window, 1)) }

// take counts units that are sent now, in the window of that index.
func (a *account) take(now Instant, index, cost int64) {
	if cost >= 0 && index > int64(a.ends.index) {
		a.ends.index, a.ends.began = int32(min(index, 1<<31-1)), a.units
	}
	a.units += cost
	if a.units > 1 || a.past().history.width > 0 { // a single unit is not worth the memory
		ensure(&a.kept).history.add(now, a.window, cost)
	}
}

// farReset times the window is a far reset, which must be reported twice to be used. Less: real windows are
// learned late. More: mistakes are taken for windows.
const farReset = 10

// policy updates quota and window. Without a reported value, the largest r and the longest t are lower bounds.
func (a *account) policy(in *limits.Told, reset time.Duration, refused bool) {
	reach := a.ends.told.hi.Sub(a.at)
	switch {
	case in.Quota >= 0:
		a.quota, a.quotaTold = in.Quota, true
	case !a.quotaTold:
		a.quota = max(a.quota, in.Remaining)
	}
	switch {
	case in.Window > 0:
		a.window, a.source = in.Window, fromServer
	case a.window == 0 && reset <= 2*rounding && a.quota > 0 && in.Remaining >= 0 && (reset != 0 || in.Remaining > 0): // too short to be a window's length, see period
		if a.window, a.source = unknownWindow, fromCounts; reset >= 0 {
			a.window = max(reset, watchedLeast)
		}
	case a.source == fromCounts && reset <= 2*rounding:
	case a.source == fromCounts && !refused:
		a.window, a.source = reset, fromReset
	case a.source == fromServer, refused && reset > 2*a.window && a.window > 0,
		a.window > 0 && reset/farReset > a.window && reach <= 2*a.window:
		// Perhaps a penalty or a mistake: wait for the next success.
	default:
		a.window = max(a.window, reset)
	}
}

// A reading is a response's report of a limit, with the account's state before it.
type reading struct {
	moment  // of receipt, by the earlier readings
	sent    Instant
	passed  float64 // nanoseconds since the last reading, by receipt
	left    int64   // r
	end     span    // from t
	fresh   bool    // the first reading of a new window
	own     int64   // own units since the last reading, including this request
	charged         // to this request
	above   int64   // r may be larger than own implies by so many units: not counted yet, or counted by the last reading
	below   int64   // r may be smaller by so many: sent later, or not counted by the last reading
	refused bool
	wait    time.Duration // the wait that a refusal asks for; Unknown if none
	refill  float64       // q/w
	others  float64       // units per nanosecond that other clients are expected to use
	cfg     *Config       // its Chance draws the phase of a new window
	recent  float64       // own units of the window before this request, itself included
}

// A forecast is the r that a candidate expects. A candidate can also exclude a reading for other reasons than r.
type forecast struct {
	most      float64 // the largest r that is possible
	alone     float64 // r if nobody else used the quota
	low, high float64 // r if other clients go on as before
}

// A moment is a point in time with the values of a limit that several functions need then.
type moment struct {
	now   Instant
	share float64       // the share that this client uses
	index int64         // the current window, counted from the last reported one
	later time.Duration // time from the end of the last reported window to the end of the current one
}

// A candidate is one algorithm that the server may use.
type candidate interface {
	// stock returns how many units this client can use.
	stock(m moment) float64
	// pace returns the client's pace in units per nanosecond, if each request costs so many units.
	pace(m moment, each float64) float64
	// opens returns when a request that needs so many units may be sent.
	opens(m moment, need int64) Instant
}
