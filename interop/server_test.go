package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/validate"
)

// A server is a limiter that services run, with one set of settings.
type server struct {
	name  string // of the limiter, with its settings
	from  string // the Go module or the program whose version the report shows
	setUp string // in Markdown: the code or the configuration that matters
	wrong string // in Markdown: what responses report wrongly, as far as it is known

	quota  int           // requests per window, of all clients together, at the even rate
	window time.Duration // 0: the limit is on concurrent requests, and quota is their number
	// service is how long each response takes, if the limit is on concurrent requests.
	service time.Duration
	// windows is the amount of work, in windows, or in rounds of all places.
	windows int
	// reports says that responses to granted requests report a limit, what remains of it, or its reset.
	reports bool
	// profiles are headway's, for servers that refuse by a status which says nothing of limits.
	profiles []validate.Profile

	// start makes an unused limiter in front of an API. stop ends what start has started.
	start func(api http.Handler) (limited http.Handler, stop func(), err error)
	// asksRuntime says that the limiter does not use the time of a synctest bubble.
	asksRuntime bool
	// program is set instead of start for a server that runs as a process of its own.
	program *program
}

// every returns the even time per request.
func (s server) every() time.Duration { return max(s.window, s.service) / time.Duration(s.quota) }

// nothing is the stop function of a server that has nothing to stop.
func nothing() {}

// goDuration formats a duration as Go code.
func goDuration(d time.Duration) string {
	switch d {
	case time.Minute:
		return "time.Minute"
	case time.Second:
		return "time.Second"
	}
	return fmt.Sprintf("%d * time.Second", d/time.Second)
}
