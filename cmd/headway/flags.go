package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultTimeout = 30 * time.Second
	mostRequests   = 100
)

const inspectUsage = `Usage:

	headway inspect [flags] URL
	curl -i URL | headway inspect [flags] [-]

Inspect shows which limits a server reports and in which dialect, which fields are
malformed or implausible and why, and how headway would pace requests.
It sends a request itself, or reads a response that curl -i or curl -v has written
from standard input. If there are several responses, as with redirects, the last
one counts.
`

const exitCodes = `
Exit codes:

	0  the response reports limits or a time to wait, and all fields were read
	1  the response reports no limits
	2  the command line is wrong
	3  no response: the request failed, or the recording cannot be read
	4  a field was ignored or clamped, even if others were read
`

// Options are the settings from the command line.
type options struct {
	json     bool
	method   string // "" if not given
	header   http.Header
	timeout  time.Duration
	requests int
	host     string    // of a recorded response, perhaps with a path; "" if not given
	at       time.Time // when a recorded response was received; zero if not given
	url      *url.URL  // nil: a recorded response
}

// raw collects flag values that the program parses itself. Package flag would repeat a wrong value in its
// error, and a header field may be a credential.
type raw struct {
	fields list
	at     string
}

type list []string

func (l *list) String() string         { return "" }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

func (o *options) flags(r *raw) *flag.FlagSet {
	f := flag.NewFlagSet("headway inspect", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&o.json, "json", false, "write `JSON` for scripts; its members are in the package's documentation")
	o.requestFlags(f, r, "the request's `method`: GET if not given, or what curl -v has recorded")
	f.DurationVar(&o.timeout, "timeout", defaultTimeout, "how long all requests and waits may take")
	f.IntVar(&o.requests, "n", 1, fmt.Sprintf("send up to `N` requests, at most %d, as headway paces them, and show how the limits change", mostRequests))
	f.StringVar(&o.host, "host", "", "the `host` that sent a recorded response, perhaps with a path: headway reads the fields of some\nhosts differently")
	f.StringVar(&r.at, "at", "", "the `time` at which a recorded response was received, such as 2026-03-04T12:00:00Z: its Date if\n"+
		"not given, else now")
	return f
}

// requestFlags are the flags that say what a request is.
func (o *options) requestFlags(f *flag.FlagSet, r *raw, method string) {
	f.StringVar(&o.method, "X", "", method)
	f.StringVar(&o.method, "method", "", "the same as -X")
	f.Var(&r.fields, "H", "a header `field` to send, such as 'Accept: text/html'; may be repeated. It is sent to the URL's\n"+
		"own origin only, and never shown")
}

// help returns the output of -help.
func help() string {
	var b strings.Builder
	f := new(options).flags(&raw{})
	f.SetOutput(&b)
	b.WriteString(inspectUsage + "\nFlags:\n\n")
	f.PrintDefaults()
	b.WriteString(exitCodes)
	return b.String()
}

// parseOptions parses the command line. The error is flag.ErrHelp if the user asks for help.
func parseOptions(args []string) (*options, error) {
	o, r := &options{}, &raw{}
	f := o.flags(r)
	if err := f.Parse(args); err != nil {
		return nil, withoutFields(args, err)
	}
	set := map[string]bool{}
	f.Visit(func(x *flag.Flag) { set[x.Name] = true })
	return o, cmp.Or(o.read(r), o.readTarget(f.Args(), set), o.check())
}

// withoutFields removes a header field from an error, if it was given as curl allows, without a space after
// the flag.
func withoutFields(args []string, err error) error {
	for _, arg := range args {
		if name := strings.TrimLeft(arg, "-"); name != arg && len(name) > 1 && name[0] == 'H' && name[1] != '=' {
			return errors.New("-H needs a space before the field")
		}
	}
	return err
}

func (o *options) read(r *raw) error {
	o.header = http.Header{}
	for _, field := range r.fields {
		name, value, found := strings.Cut(field, ":")
		value = strings.Trim(value, " \t")
		if !found || !validName(name) || !validValue(value) {
			return errors.New("-H needs a field such as 'Name: value'")
		}
		o.header.Add(name, value)
	}
	if r.at == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, r.at)
	if err != nil {
		return errors.New("-at needs a time such as 2026-03-04T12:00:00Z")
	}
	o.at = at
	return nil
}

// readTarget parses the target, and returns an error for flags that do not apply to it.
func (o *options) readTarget(args []string, set map[string]bool) error {
	foreign := []string{"n", "H", "timeout"}
	switch {
	case len(args) > 1:
		return errors.New("there is more than one URL; flags go before it")
	case len(args) == 1 && args[0] != "-":
		u, err := url.Parse(args[0])
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return errors.New("the URL must begin with http:// or https:// and a host")
		}
		o.url = u
		foreign = []string{"host", "at"}
	}
	for _, name := range foreign {
		if set[name] {
			return fmt.Errorf("-%s is not for %s", name, o.kind())
		}
	}
	return nil
}

func (o *options) kind() string {
	if o.url == nil {
		return "recorded responses"
	}
	return "a URL"
}

func (o *options) check() error {
	switch {
	case o.requests < 1 || o.requests > mostRequests:
		return fmt.Errorf("-n must be from 1 to %d", mostRequests)
	case o.timeout <= 0:
		return errors.New("-timeout must be more than 0")
	case o.method != "" && !validName(o.method):
		return errors.New("-X must be a method such as GET")
	case o.host != "" && !validPlace(o.host):
		return errors.New("-host must be a host such as api.example.com, or one with a path")
	}
	return nil
}

// validPlace reports whether place is a host, perhaps with a port and a path.
func validPlace(place string) bool {
	u, err := url.Parse("https://" + place)
	return err == nil && u.Hostname() != "" && "https://"+place == shownURL(u)
}
