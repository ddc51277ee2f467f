package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// token matches names of fields and methods (RFC 9110 §5.6.2).
var token = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// Options are the settings that inspect and audit have in common.
type options struct {
	json    bool
	method  string // "" if not given
	fields  []string
	header  http.Header // the fields, parsed
	timeout time.Duration
	url     *url.URL // nil: a recorded response
}

// newFlags returns the flags of a command, of which it may have more.
func (o *options) newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet("headway "+name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&o.json, "json", false, "write JSON for scripts; its members are in the package's documentation")
	f.StringVar(&o.method, "X", "", "the request's `method`: GET if not given")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long a request may take")
	f.Func("H", "a header `field` to send, such as 'Accept: text/html'; may be repeated. It is never shown", func(field string) error {
		o.fields = append(o.fields, field) // package flag would repeat it in an error, and it may be a credential
		return nil
	})
	return f
}

// parse parses a command line, and has the settings checked. If the command cannot go on, code is its exit code. about
// says what the command does, and which exit codes it has.
func (c *console) parse(o *options, f *flag.FlagSet, args []string, about string, check func() error) (code int, goesOn bool) {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.exitAfter(fmt.Fprint(c.out, help(about, f))), false
	case err != nil && strings.Contains(err.Error(), ": -H"): // as in curl's -HName:value, which may be a credential
		err = errors.New("-H needs a space before the field")
	case err == nil:
		err = cmp.Or(o.readFields(), o.readURL(f.Args()), o.check(), check())
	}
	if err != nil {
		return c.usageError(f.Name() + ": " + visible(cut(err.Error(), longText)) + "\n" + f.Name() + " -help says more.\n"), false
	}
	return 0, true
}

// help says what a command does, and which flags it has.
func help(about string, f *flag.FlagSet) string {
	var flags strings.Builder
	f.SetOutput(&flags)
	f.PrintDefaults()
	return about + "\nFlags:\n\n" + flags.String()
}

func (o *options) readFields() error {
	o.header = http.Header{}
	for _, field := range o.fields {
		name, value, found := strings.Cut(field, ":")
		value = strings.Trim(value, " \t")
		if !found || !token.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return errors.New("-H needs a field such as 'Name: value'")
		}
		o.header.Add(name, value)
	}
	return nil
}

func (o *options) readURL(args []string) error {
	switch {
	case len(args) > 1:
		return errors.New("there is more than one URL; flags go before it")
	case len(args) == 0 || args[0] == "-":
		return nil
	}
	u, err := url.Parse(args[0])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("the URL must begin with http:// or https:// and a host")
	}
	o.url = u
	return nil
}

func (o *options) check() error {
	switch {
	case o.timeout <= 0:
		return errors.New("-timeout must be more than 0")
	case o.method != "" && !token.MatchString(o.method):
		return errors.New("-X must be a method such as GET")
	}
	return nil
}
