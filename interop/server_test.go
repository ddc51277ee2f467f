package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/validate"
)

// A server is a limiter that services run, set up in one way.
type server struct {
	name  string // of the limiter, and how it is set up
	from  string // the Go module or the program whose version the report tells
	setUp string // in Markdown: the code or the configuration that matters
	wrong string // in Markdown: what responses tell and is not so, as far as it is known

	quota  int           // so many requests per window are an even load, of all clients together
	window time.Duration // 0: what is limited is how many requests are in flight, and quota is how many
	// service is how long each response takes, where what is in flight is limited.
	service time.Duration
	// windows is how many windows' worth of work there is, or how often all places are taken.
	windows int
	// tells: a response to a request that was granted has a limit, what remains of it or when it is reset.
	tells bool
	// profiles are what headway is told besides, in runs of their own.
	profiles []validate.Profile

	// start makes one that nobody has used, before an API. stop ends what it has started.
	start func(api http.Handler) (limited http.Handler, stop func(), err error)
	// asksRuntime: it does not go by the time of a bubble.
	asksRuntime bool
	// program is a server that is a process of its own, instead of start.
	program *program
}

// every is one request's part of the even time.
func (s server) every() time.Duration { return max(s.window, s.service) / time.Duration(s.quota) }

// rate is what the server allows.
func (s server) rate() string {
	if s.window == 0 {
		return fmt.Sprintf("%d at once", s.quota)
	}
	return fmt.Sprintf("%d per %v s", s.quota, s.window.Seconds())
}

// nothing is the stop of a server that has started nothing.
func nothing() {}

// goDuration is a duration as a program has it.
func goDuration(d time.Duration) string {
	switch d {
	case time.Minute:
		return "time.Minute"
	case time.Second:
		return "time.Second"
	}
	return fmt.Sprintf("%d * time.Second", d/time.Second)
}
