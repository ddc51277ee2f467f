package headway

// Pacing is how requests are spread over what a limit allows. Any other value than the
// two below is PaceEvenly.
type Pacing uint8

const (
	// PaceEvenly gives each request a slot of its own, one interval after the last
	// one's; what an idle client may send at once is bounded by Transport.Burst. It
	// uses all of a quota without bursts and is next to never refused. It is the zero
	// value, and right for long jobs and for all who share a quota.
	PaceEvenly Pacing = iota

	// PaceMeasured measures how much the client itself sends, as a leaky bucket that is as
	// large as its share of each limit's quota, and lets requests go at once as long as that
	// has room: after a window without requests about 63 % of what is left. Then they are
	// spread evenly. It is for programs whose work comes in bursts, with time in between,
	// such as those that people wait for. Where others use the quota, too, bursts are refused
	// more often. Transport.Burst does not matter.
	PaceMeasured
)
