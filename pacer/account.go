package pacer

import (
	"cmp"
	"time"

	"github.com/headway-go/headway/limits"
)

// An account is what is known of a limit whatever its algorithm: what the server told
// last, and what this client has sent since.
//
// Say that r = 40 of 100 was told of the request after which 60 units had been sent, and 65
// have been by now. Then 35 are left for the next, if nobody else uses the quota.
type account struct {
	quota  int64         // q; if it was never told, the most that was ever left
	window time.Duration // w; if it was never told, the longest reset seen

	units     int64   // sent of it in all, as far as requests are thought to use it
	mark      int64   // of these, those sent up to the request of which r was told
	remaining int64   // r as last told; Unknown if never
	sent, at  Instant // sending and receipt of that request and answer
	ahead     float32 // units sent after the mark that r may have counted already, or that may never be counted
	behind    float32 // units sent before the mark that r may not have counted yet

	toldReset int32 // t as last told, in seconds, see resetUnit
	unit      uint8 // what it counts, by its index, see Partition.unit
	matched   bool  // requests use the quota of the partition key that the caller says
	quotaTold bool
	source    windowSource // of the window

	ends ends
	kept *past // nil: nothing yet, see past
}

// A windowSource says how the length of a window is known.
type windowSource uint8

const (
	fromReset  windowSource = iota // it is the longest reset that was told; or it is not known
	fromServer                     // it was told as such
	fromCounts                     // no answer told a time: a minute, then as measured by what is left, see period
)

// left is how many units remain if none have come back since.
func (a *account) left() int64 { return max(0, a.remaining-(a.units-a.mark)) }

// leftIn is how many units remain of the window that is the index-th after the one told of.
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

// believed is what is known whatever the algorithm, but for what remains: that depends on it.
func (a *account) believed() limits.Believed {
	b := limits.Believed{Quota: a.quota, Remaining: Unknown, Window: cmp.Or(a.window, Unknown)}
	if a.quota == 0 && !a.quotaTold {
		b.Quota = Unknown
	}
	return b
}

// refill is q/w in units per nanosecond; 0 if it is not known.
func (a *account) refill() float64 {
	if a.quota <= 0 || a.window <= 0 {
		return 0
	}
	return float64(a.quota) / float64(a.window)
}

// windows is d in windows.
func (a *account) windows(d time.Duration) float64 { return float64(d) / float64(max(a.window, 1)) }

// take counts units that are sent now, in the window of that index.
func (a *account) take(now Instant, index, cost int64) {
	if cost >= 0 && index > int64(a.ends.index) {
		a.ends.index, a.ends.began = int32(min(index, 1<<31-1)), a.units
	}
	a.units += cost
	if a.units > 1 || a.past().history.width > 0 { // one unit says little
		made(&a.kept).history.add(now, a.window, cost)
	}
}

// farReset is how many times longer than the window a reset is that is believed only once it
// is told twice: less takes mistakes for windows, more takes longer to learn of a real one.
const farReset = 10

// policy takes in the quota and the window that an answer tells with that reset. Where it does not
// tell them, the most that was left and the longest reset are bounds: there is at least so much.
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
	case a.window == 0 && reset <= 2*rounding && a.quota > 0 && in.Remaining >= 0 && (reset != 0 || in.Remaining > 0): // too short to tell a window by, see period
		if a.window, a.source = unknownWindow, fromCounts; reset >= 0 {
			a.window = max(reset, watchedLeast)
		}
	case a.source == fromCounts && reset <= 2*rounding:
	case a.source == fromCounts && !refused:
		a.window, a.source = reset, fromReset
	case a.source == fromServer, refused && reset > 2*a.window && a.window > 0,
		a.window > 0 && reset/farReset > a.window && reach <= 2*a.window:
		// May be a penalty's, or a mistake: the next success tells.
	default:
		a.window = max(a.window, reset)
	}
}

// A reading is what an answer tells of a limit, set against the account as it was.
type reading struct {
	moment          // of receipt, by the readings before
	sent    Instant // sending
	passed  float64 // nanoseconds since the reading before, by receipt
	left    int64   // r
	end     span    // from t
	fresh   bool    // it is the first of a new window
	own     int64   // own units since the reading before, this request's included
	charged         // of this request
	above   int64   // by so many units r may be more than own says: not counted yet, or by the reading before
	below   int64   // by so many it may be less: of requests sent later, or not counted by the reading before
	refused bool
	wait    time.Duration // until it is to be tried again, if it was refused; Unknown if not told
	refill  float64       // q/w
	others  float64       // units per nanosecond that others are expected to use
	cfg     *Config       // whose Chance draws the phase of a new window
	recent  float64       // own units that were sent within a window before this request was, itself included
}

// A forecast is what a candidate expects a reading to say. With it comes whether the candidate excludes what the reading
// says besides r.
type forecast struct {
	most      float64 // r if nobody else used the quota, at the latest moment: more is impossible
	alone     float64 // r if nobody else used the quota
	low, high float64 // r if others go on as they did
}

// A moment is a time at which a limit is looked at, and what of the limit is worked out once for all who do.
type moment struct {
	now   Instant
	share float64       // that this client takes for its own
	index int64         // which window is open after the one told of
	later time.Duration // by how much it ends later than that
}

// A candidate is a textbook limiter that a limit is thought to be.
type candidate interface {
	// stock is how many units are there for this client.
	stock(m moment) float64
	// pace is what it may go at if its requests use each so many units, in units per nanosecond.
	pace(m moment, each float64) float64
	// opens is when it may send a request that needs so many units.
	opens(m moment, need int64) Instant
}
