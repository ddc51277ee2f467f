package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/audit"
)

const (
	auditRequests = 30
	mostAudited   = 1000
	auditHead     = 64 << 10 // bytes of a response's head, of which an audit keeps all
)

const auditUsage = `Usage:

	headway audit [flags] URL

Audit is for the authors of an API. It sends a bounded number of requests at a bounded
rate to URL, and says whether what the responses tell about limits is true: whether the
remaining quota falls, whether units are back at the reset, whether Retry-After is enough.
It never sends more than -n requests, and keeps within what the server reports: it sends
none that the server would refuse, unless -beyond or a person at the terminal allows one.
It follows no redirect.
`

const auditExitCodes = `
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
	plan   audit.Plan
	page   string // a file
	beyond bool
}

func (o *auditOptions) flags(r *raw) *flag.FlagSet {
	f := flag.NewFlagSet("headway audit", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&o.json, "json", false, "write `JSON` for scripts; its members are in the package's documentation")
	f.StringVar(&o.page, "page", "", "also write a page in Markdown to this `file`, to attach to a ticket")
	o.requestFlags(f, r, "the requests' `method`: GET if not given")
	f.DurationVar(&o.timeout, "timeout", defaultTimeout, "how long each request may take")
	f.IntVar(&o.plan.Requests, "n", auditRequests, fmt.Sprintf("send at most `N` requests, up to %d", mostAudited))
	f.Float64Var(&o.plan.Rate, "rate", 2, "send at most so many requests a `second`, up to 100")
	f.DurationVar(&o.plan.MaxWait, "max-wait", 2*time.Minute, "how long to wait for Retry-After or a reset, at most twice")
	f.Int64Var(&o.plan.Cost, "cost", 1, "how many `units` a request uses, if the server does not say so")
	f.BoolVar(&o.beyond, "beyond", false, "go beyond what the server reports, up to the first refusal, without asking")
	return f
}

// auditHelp returns the output of -help.
func auditHelp() string {
	var b strings.Builder
	f := new(auditOptions).flags(&raw{})
	f.SetOutput(&b)
	b.WriteString(auditUsage + "\nFlags:\n\n")
	f.PrintDefaults()
	b.WriteString(auditExitCodes)
	return b.String()
}

// parseAudit parses the command line. The error is flag.ErrHelp if the user asks for help.
func parseAudit(args []string) (*auditOptions, error) {
	o, r := &auditOptions{}, &raw{}
	f := o.flags(r)
	if err := f.Parse(args); err != nil {
		return nil, withoutFields(args, err)
	}
	o.requests = 1 // of options, which check looks at
	return o, cmp.Or(o.read(r), o.readTarget(f.Args(), nil), o.check(), o.checkPlan())
}

func (o *auditOptions) checkPlan() error {
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
	o, err := parseAudit(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.exitAfter(fmt.Fprint(c.out, auditHelp()))
	case err != nil:
		return c.usageError("headway audit: " + visible(err.Error(), longText) + "\nheadway audit -help says more.\n")
	}
	base := newBase()
	base.MaxResponseHeaderBytes = auditHead
	base.DisableKeepAlives = true // else net/http sends a request again if its connection breaks, and -n would not hold
	defer base.CloseIdleConnections()
	return c.auditBy(o, base)
}

// auditBy sends the requests through base, and writes the report.
func (c *console) auditBy(o *auditOptions, base http.RoundTripper) int {
	a := &auditor{auditOptions: o, now: c.now, client: &http.Client{
		Transport:     base,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	o.plan.IsSafe = o.method == "" || o.method == http.MethodGet || o.method == http.MethodHead
	o.plan.Send = a.send
	o.plan.Beyond = func(why string) bool { return o.beyond || c.agrees(why) }
	all, notes, failed := o.plan.Run(context.Background())
	if len(all) == 0 {
		return c.auditFailed(failed)
	}
	r := audit.Check(all, o.plan.Cost)
	r.URL = shownURL(o.url)
	r.Notes = append(r.Notes, notes...)
	if failed != nil {
		r.Notes = append(r.Notes, "the audit ended early: "+failed.Error())
	}
	r.ExitCode = auditExit(r, failed)
	if err := c.showAudit(r, o); err != nil {
		return c.auditFailed(err)
	}
	return r.ExitCode
}

func auditExit(r *audit.Report, failed error) int {
	switch {
	case failed != nil:
		return exitFailed
	case r.Has("", audit.Misleading):
		return exitIgnored
	case r.Has("fields", audit.NotTold):
		return exitNothing
	}
	return exitLimits
}

func (c *console) auditFailed(why error) int {
	_, _ = fmt.Fprintln(c.err, "headway audit:", visible(why.Error(), longText))
	return exitFailed
}

// agrees asks a person at the terminal. Nobody there means no.
func (c *console) agrees(why string) bool {
	if c.answers == nil {
		return false
	}
	_, _ = fmt.Fprintf(c.err, "%s. Send more, up to the first refusal, to see how the server refuses? [y/N] ", why)
	line, _ := bufio.NewReader(c.answers).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(line), "y")
}

// An auditor sends the requests of an audit.
type auditor struct {
	*auditOptions
	client *http.Client
	now    func() time.Time
}

// missingPath is not likely to exist.
const missingPath = "headway-audit-no-such-path"

func (a *auditor) send(ctx context.Context, kind audit.Kind, conditions http.Header) (*audit.Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	u := a.url
	if kind == audit.Missing {
		u = u.JoinPath(missingPath)
	}
	req, err := a.newRequest(ctx, u, "headway-audit")
	if err != nil {
		return nil, a.reason(err)
	}
	for name := range conditions {
		req.Header.Set(name, conditions.Get(name))
	}
	x := &audit.Exchange{Kind: kind, Sent: a.now()}
	resp, err := a.client.Do(req) //nolint:bodyclose // readBody closes it
	if err != nil {
		return nil, a.reason(err)
	}
	x.Received, x.Response = a.now(), resp
	x.Body = readBody(ctx, resp, resp.StatusCode >= http.StatusBadRequest && resp.Header.Get("Content-Encoding") == "")
	resp.Request, resp.Body = req.WithContext(context.Background()), nil
	if kind == audit.Plain && resp.StatusCode/100 == 3 {
		return nil, fmt.Errorf("the URL answers with a redirect (%s): audit its target", statusText(resp.StatusCode))
	}
	return x, nil
}

// showAudit writes the report, and the page if one is wanted.
func (c *console) showAudit(r *audit.Report, o *auditOptions) error {
	document := []byte(c.auditText(r))
	if o.json {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			return err
		}
		document = ascii(b.Bytes())
	}
	if o.page != "" {
		if err := os.WriteFile(o.page, []byte(r.Page()), 0o600); err != nil {
			return errors.New("cannot write the page: " + err.Error())
		}
	}
	if _, err := c.out.Write(document); err != nil {
		return errors.New("cannot write the report: " + err.Error())
	}
	return nil
}

// auditText returns the report in words.
func (c *console) auditText(r *audit.Report) string {
	var b strings.Builder
	c.write(&b, []line{{"audit", visible(r.Summary(), longText), plain}})
	for _, f := range r.Findings {
		text := string(f.Verdict) + ": " + f.Text
		if f.Limit != "" {
			text = f.Limit + ", " + text
		}
		as := plain
		switch f.Verdict {
		case audit.Misleading:
			as = red
		case audit.NotTold:
			as = yellow
		}
		c.write(&b, []line{{f.ID, text, as}})
		if f.Suggestion != "" {
			c.write(&b, []line{{"", f.Suggestion, plain}})
		}
	}
	for i, field := range r.Suggested {
		label := ""
		if i == 0 {
			label = "suggested"
		}
		c.write(&b, []line{{label, field, plain}})
	}
	for _, note := range r.Notes {
		c.write(&b, []line{{"note", note, plain}})
	}
	return b.String()
}
