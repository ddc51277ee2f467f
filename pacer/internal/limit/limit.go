package limit

import "github.com/headway-go/headway/pacer/internal/arrival"

// A Limit is one limit of a server, as one client knows it. Use New. Times are seconds on one monotonic clock.
type Limit struct {
	Quota, Window float64 // q and w; 0: unknown

	Units float64 // own units in all
	latest

	Ends     span // when the window of Left ends
	Belief   belief
	Share    share
	Line     arrival.Line // the slots
	Before   float64      // units of all clients in the window before the one of Left
	HasQuota bool         // a response reported q
	Granted  bool         // the first burst was granted
	Blind    bool         // responses are older than the window that they speak of
	Proven   bool         // the end of a window was seen, or told by a refusal
	Length   *length      // of a window that no response reports; nil: it is reported
	History  history
	Part     *Part `json:"-"` // of a fleet; nil: none
}

// A latest is the last reading, as far as it is known.
type latest struct {
	Left       float64 // r as last reported, and its fraction as far as it is known; negative: never reported
	Sent, Seen float64 // when the request went whose response reported Left, and when the server saw it at the latest
	Mark       float64 // own units up to that request, or refused since
	Ahead      float64 // units that Left may include: sent after that request, or perhaps never served
	Behind     float64 // units in flight when it was sent, which Left may not include
	Spread     float64 // by how much later than usual the server sees a request of late
}

// New returns a limit of which nothing is known.
func New(now float64) Limit {
	return Limit{latest: latest{Left: -1, Seen: now, Sent: now}, Line: arrival.Line{At: now}}
}

// A Reading is what one response reports, and what the client knows of its request.
type Reading struct {
	Sent, Seen float64 // when the request went, and when the server saw it at the latest, on the clock of sending
	Left       float64 // r
	Reset      float64 // t; negative: not reported
	Wait       float64 // Retry-After of a refusal; negative: not reported
	Units      float64 // own units up to this request, as Take returned them
	Cost       float64 // of this request
	Ahead      float64 // own units sent later, which Left may include
	Behind     float64 // own units in flight when it was sent, which Left may not include
	Refused    bool
	Took       float64 // from sending to the response
	Estimated  float64 // 0: Units and Cost are exact; else estimates, of which a window loses this part
}

// quotaFades is the part of its difference to the largest r of late that a quota loses with each reading, if it is not
// reported. More: wrong within a window. Less: a lower quota is found late.
const quotaFades = 0.002

// Policy takes over what a response reports of the quota and the window. 0 or less: not reported.
func (l *Limit) Policy(quota, window, left, reset float64) {
	switch {
	case quota >= 0:
		l.Quota, l.HasQuota = quota, true
	case !l.HasQuota:
		l.Quota = max(left, l.Quota-max(0, l.Quota-l.holds())*quotaFades)
	}
	switch {
	case window > 0:
		l.Window, l.Length = window, nil
	case l.Length != nil || l.Window == 0:
		l.guessWindow(left, reset)
	}
}

// nominal returns q/w; 0 if unknown.
func (l *Limit) nominal() float64 {
	if l.Quota <= 0 || l.Window <= 0 {
		return 0
	}
	return l.Quota / l.Window
}

// own returns how many own units Left does not include.
func (l *Limit) own() float64 { return max(l.Units-l.Mark, 0) }

const eps = 1e-9 // less is an error of rounding
