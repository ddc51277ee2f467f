package interop_test

import (
	"fmt"
	"net/http"
	"time"
)

// A server is a limiter that services run, set up in one way.
type server struct {
	name   string // of the limiter, and how it is set up
	module string // whose version is in go.mod
	setUp  string // in Markdown: the lines of code or configuration that matter
	says   string // in Markdown: what responses tell of the limit
	wrong  string // in Markdown: what of that is not as it is; "": nothing

	quota  int           // so many requests per window are the even share of all clients together
	window time.Duration // 0: it limits what is in flight, and quota is how much
	// windows is how many windows' worth of work a client or a fleet has.
	windows int
	// tells: a response to a request that was granted has a limit, what remains of it or when it is reset.
	tells bool
	// held holds headway to what it achieves today, where that is less than what is wanted.
	held map[string]bounds // by load

	// service is how long each response takes, where what is in flight is limited.
	service time.Duration

	// start makes one that nobody has used, before an API. stop ends what it has started. program is a server
	// that is a process instead.
	program *program
	start   func(api http.Handler) (limited http.Handler, stop func(), err error)
}

// every is one request's share of the window.
func (s server) every() time.Duration { return max(s.window, s.service) / time.Duration(s.quota) }

// rate is what the server allows, for the report.
func (s server) rate() string {
	if s.window == 0 {
		return fmt.Sprintf("%d at once", s.quota)
	}
	return fmt.Sprintf("%d per %v", s.quota, short(s.window))
}

// short is a duration without the zeroes of 1m0s.
func short(d time.Duration) string {
	switch {
	case d == time.Minute:
		return "minute"
	case d == time.Second:
		return "second"
	case d%time.Second == 0:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}

// nothing is the stop of a server that has started nothing.
func nothing() {}
