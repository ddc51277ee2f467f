package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/audit"
)

// mostAudited bounds the requests of an audit, whose responses it keeps.
const mostAudited = 1000

const aboutAudit = `Usage:

	headway audit [flags] URL

Audit is for the authors of an API. It sends a bounded number of requests at a bounded
rate to URL, and says whether what the responses tell about limits is true: whether the
remaining quota falls, whether units are back at the reset, whether Retry-After is enough.
It never sends more than -n requests, and keeps within what the server reports: it sends
none that the server would refuse, unless -beyond allows one. It follows no redirect.

Exit codes:

	0  nothing that was seen misleads clients
	1  the server reports no limits
	2  the command line is wrong
	3  no response: a request failed, or it was redirected
	4  something misleads clients
`

// auditOptions are the settings from the command line.
type auditOptions struct {
	options
	plan      audit.Plan
	isVerbose bool
}

func (o *auditOptions) flags() *flag.FlagSet {
	f := o.newFlags("audit")
	f.IntVar(&o.plan.Requests, "n", 30, fmt.Sprintf("send at most `N` requests, up to %d", mostAudited))
	f.Float64Var(&o.plan.Rate, "rate", 2, "send at most so `many` requests a second, up to 100")
	f.DurationVar(&o.plan.MaxWait, "max-wait", 2*time.Minute, "how long to wait for Retry-After or a reset, at most twice")
	f.Int64Var(&o.plan.Cost, "cost", 1, "how many `units` a request uses, if the server does not say so")
	f.BoolVar(&o.isVerbose, "v", false, "also show what each response told, to attach it to a ticket")
	f.BoolVar(&o.plan.Beyond, "beyond", false, "go beyond what the server reports, up to the first refusal")
	return f
}

func (o *auditOptions) check() error {
	switch {
	case o.url == nil:
		return errors.New("a URL is needed")
	case o.plan.Requests < 1 || o.plan.Requests > mostAudited:
		return fmt.Errorf("-n must be from 1 to %d", mostAudited)
	case !(o.plan.Rate > 0 && o.plan.Rate <= 100):
		return errors.New("-rate must be more than 0, and at most 100")
	case o.plan.Cost < 1:
		return errors.New("-cost must be at least 1")
	}
	return nil
}

// audit runs the command audit.
func (c *console) audit(args []string) int {
	o := &auditOptions{}
	if code, goesOn := c.parse(&o.options, o.flags(), args, aboutAudit, o.check); !goesOn {
		return code
	}
	return c.auditBy(o, newBase())
}

// An auditReport is an audit's document for scripts.
type auditReport struct {
	Version int    `json:"version"`
	Method  string `json:"method"`
	URL     string `json:"url"` // without user, password and query
	*audit.Report
	Requests []auditRequest `json:"requests"`
	ExitCode int            `json:"exit_code"`
}

// An auditRequest is a line of the evidence.
type auditRequest struct {
	After      span       `json:"after"` // from the first request
	Kind       audit.Kind `json:"kind"`
	Status     int        `json:"status"`
	Refused    bool       `json:"refused"`
	RetryAfter span       `json:"retry_after"`
	Limits     []limit    `json:"limits"`
}

// auditBy sends the requests through base, and writes the report.
func (c *console) auditBy(o *auditOptions, base http.RoundTripper) int {
	o.plan.IsSafe = o.method == "" || o.method == http.MethodGet || o.method == http.MethodHead
	o.plan.Send = func(kind audit.Kind, conditions http.Header) (*audit.Exchange, error) {
		return o.send(base, kind, conditions, c.now)
	}
	all, notes, failed := o.plan.Run()
	if len(all) == 0 {
		return c.failed("audit", failed)
	}
	r := &auditReport{Version: 1, Method: all[0].Response.Request.Method, URL: shownURL(o.url), Report: audit.Check(all, o.plan.Cost)}
	r.Notes = append(r.Notes, notes...)
	for _, x := range all {
		r.Requests = append(r.Requests, auditRequest{
			span(x.Sent.Sub(all[0].Sent)), x.Kind, x.Response.StatusCode, x.Refused, span(x.Reading.RetryAfter), newLimits(x.Reading.Limits),
		})
	}
	switch {
	case failed != nil:
		r.Notes = append(r.Notes, "the audit ended early: "+cut(failed.Error(), longText))
		r.ExitCode = exitFailed
	case r.Has("", audit.Misleading):
		r.ExitCode = exitIgnored
	case r.Has("fields", audit.NotTold):
		r.ExitCode = exitNothing
	}
	if err := c.write(r, r.lines(o.isVerbose), o.json); err != nil {
		return c.failed("audit", err)
	}
	return r.ExitCode
}

// missingPath is not likely to exist.
const missingPath = "headway-audit-no-such-path"

// send sends a request of an audit.
func (o *auditOptions) send(base http.RoundTripper, kind audit.Kind, conditions http.Header, now func() time.Time) (*audit.Exchange, error) {
	u := o.url
	if kind == audit.Missing {
		u = u.JoinPath(missingPath)
	}
	x, err := o.fetch(base, u, conditions, now)
	if err != nil {
		return nil, err
	}
	if kind == audit.Plain && x.StatusCode/100 == 3 {
		return nil, fmt.Errorf("the URL answers with a redirect (%d): audit its target", x.StatusCode)
	}
	return &audit.Exchange{Kind: kind, Sent: x.sent, Received: x.received, Response: x.Response, Body: x.body}, nil
}

// lines returns the report in words.
func (r *auditReport) lines(isVerbose bool) (l lines) {
	refused := 0
	for _, x := range r.Requests {
		if x.Refused {
			refused++
		}
	}
	took := r.Requests[len(r.Requests)-1].After
	l.add("audit", "%s %s: %d requests in %v, %d of them refused", r.Method, cut(r.URL, longText), len(r.Requests), took, refused)
	for _, f := range r.Findings {
		limit := ""
		if f.Limit != "" {
			limit = f.Limit + ", "
		}
		l.add(f.ID, "%s%s: %s", limit, f.Verdict, f.Text)
		if f.Suggestion != "" {
			l.add("", "%s", f.Suggestion)
		}
	}
	for i, x := range r.Requests {
		if isVerbose {
			l.add("request", "%d, %s, after %v: %d%s", i+1, x.Kind, x.After, x.Status, x.told())
		}
	}
	for _, field := range r.Suggested {
		l.add("suggested", "%s", field)
	}
	for _, note := range r.Notes {
		l.add("note", "%s", note)
	}
	return l
}

// told returns what a response told, in words.
func (x *auditRequest) told() string {
	var b strings.Builder
	if x.RetryAfter >= 0 {
		fmt.Fprintf(&b, "; Retry-After %v", x.RetryAfter)
	}
	for i := range x.Limits {
		b.WriteString("; " + x.Limits[i].name() + ": " + x.Limits[i].known())
	}
	return b.String()
}
