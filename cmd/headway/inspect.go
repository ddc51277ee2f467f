package main

import (
	"cmp"
	"errors"
	"flag"
	"net/http"
	"net/url"
	"time"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

const aboutInspect = `Usage:

	headway inspect [flags] URL
	curl -i URL | headway inspect [flags] [-]

Inspect shows which limits a server reports and in which dialect, which fields are
malformed or implausible and why, and how headway would pace requests.
It sends a request itself, and follows no redirect, or reads a response that curl -i
has written from standard input. Of several responses the last one counts.

Exit codes:

	0  the response reports limits or a time to wait, and all fields were read
	1  the response reports no limits
	2  the command line is wrong
	3  no response: the request failed, or the recording cannot be read
	4  a field was ignored or clamped, even if others were read
`

// inspectOptions are the settings from the command line.
type inspectOptions struct {
	options
	host string // of a recorded response, perhaps with a path; "" if not given
}

func (o *inspectOptions) flags() *flag.FlagSet {
	f := o.newFlags("inspect")
	f.StringVar(&o.host, "host", "", "the `host` that sent a recorded response, perhaps with a path: headway reads the fields of some\nhosts differently")
	return f
}

// check checks that the host is one, perhaps with a port and a path.
func (o *inspectOptions) check() error {
	u, err := url.Parse("https://" + o.host)
	if o.host != "" && (err != nil || u.Hostname() == "" || "https://"+o.host != shownURL(u)) {
		return errors.New("-host must be a host such as api.example.com, or one with a path")
	}
	return nil
}

// inspect runs the command inspect.
func (c *console) inspect(args []string) int {
	o := &inspectOptions{}
	code, goesOn := c.parse(&o.options, o.flags(), args, aboutInspect, o.check)
	switch {
	case !goesOn:
		return code
	case o.url == nil && c.in == nil:
		return c.usageError(aboutInspect)
	}
	r, err := c.look(o)
	if err == nil {
		err = c.write(r, r.lines(), o.json)
	}
	if err != nil {
		return c.failed("inspect", err)
	}
	return r.ExitCode
}

// look fetches a response or reads a recorded one, and reports on it.
func (c *console) look(o *inspectOptions) (*report, error) {
	if o.url != nil {
		x, err := o.fetch(newBase(), o.url, nil, c.now)
		if err != nil {
			return nil, err
		}
		return newReport(x, shownURL(o.url), 0), nil
	}
	rec, err := readRecording(c.in)
	if err != nil {
		return nil, err
	}
	shown := ""
	if o.host != "" {
		shown = "https://" + o.host
	}
	x, err := rec.exchange(o.method, cmp.Or(shown, "https://recording.invalid"), c.now())
	if err != nil {
		return nil, err
	}
	return newReport(x, shown, rec.skipped), nil
}

// exchange makes an exchange from a recording. It was received at its Date, or else now.
func (r *recording) exchange(method, url string, now time.Time) (*exchange, error) {
	req, err := http.NewRequest(method, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	x := &exchange{received: now, Response: &http.Response{StatusCode: r.status, Proto: r.proto, Header: r.header, Request: req}}
	if date, err := http.ParseTime(r.header.Get("Date")); err == nil {
		x.received = date.Add(parse.Header(r.header).Age)
	}
	if x.wantsBody() {
		x.body = []byte(r.body[:min(len(r.body), validate.MaxBody)])
	}
	return x, nil
}
