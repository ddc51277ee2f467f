package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

const seeHelp = "\nheadway inspect -help says more.\n"

// inspect runs the command inspect.
func (c *console) inspect(args []string) int {
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.exitAfter(fmt.Fprint(c.out, help()))
	case err != nil:
		return c.usageError("headway inspect: " + visible(err.Error(), longText) + seeHelp)
	case o.url == nil && c.in == nil:
		return c.usageError(inspectUsage + seeHelp)
	}
	x, err := c.exchange(o)
	if err != nil {
		return c.failed(err)
	}
	r := newReport(x, c.now)
	if err := c.show(r, o.json); err != nil {
		return c.failed(err)
	}
	return r.ExitCode
}

// exchange fetches a response or reads a recorded one.
func (c *console) exchange(o *options) (*exchange, error) {
	if o.url != nil {
		base := newBase()
		defer base.CloseIdleConnections()
		return newFetcher(o, base, c.now).fetch(context.Background())
	}
	rec, err := readRecording(c.in)
	if err != nil {
		return nil, err
	}
	return rec.exchange(o, c.now())
}

// exchange makes an exchange from a recording, and from what the user says about it.
func (r *recording) exchange(o *options, now time.Time) (*exchange, error) {
	final := r.heads[r.final()]
	x := &exchange{status: final.status, proto: final.proto, header: final.header, at: o.at, skipped: r.skipped}
	if place := cmp.Or(o.host, r.place()); place != "" {
		x.url = "https://" + place
	}
	method, url := cmp.Or(o.method, r.method), cmp.Or(x.url, "https://recording.invalid/")
	var err error
	if x.request, err = http.NewRequest(method, url, http.NoBody); err != nil {
		return nil, withoutValues(err)
	}
	for i, h := range r.heads {
		if i != r.final() {
			x.earlier = append(x.earlier, earlier{Status: h.status})
		}
	}
	if date, err := http.ParseTime(final.header.Get("Date")); x.at.IsZero() && err == nil {
		x.at = date.Add(parse.Header(final.header).Age)
	}
	if x.at.IsZero() {
		x.at = now
	}
	x.date()
	if x.wantsBody() {
		x.body = []byte(r.body[:min(len(r.body), validate.MaxBody)])
	}
	if r.cut {
		x.notes = append(x.notes, "only the first MiB of the recording was read")
	}
	return x, nil
}

// show writes the report.
func (c *console) show(r *report, asJSON bool) error {
	document := []byte(c.text(r))
	if asJSON {
		var err error
		if document, err = r.json(); err != nil {
			return err
		}
	}
	if _, err := c.out.Write(document); err != nil {
		return errors.New("cannot write the report: " + visible(err.Error(), longText))
	}
	return nil
}
