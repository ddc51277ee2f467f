package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/proxy"
)

const aboutProxy = `Usage:

	headway proxy -to URL [flags]
	headway proxy -config FILE [-listen ADDRESS]
	headway proxy -check FILE

Proxy is a local reverse proxy in front of an API. It keeps the requests of all programs that use it,
in any language, just under the limits that the API reports. Set the base URL of
your client to http://127.0.0.1:8429 instead of URL.

The log is on standard error, one JSON object a line. SIGTERM and SIGINT end the proxy
in order, and another one a second later ends it at once. SIGHUP reads the configuration again.

Exit codes:

	0  a signal has ended the proxy, or the file of -check is good
	2  the command line is wrong, or the file that it names
	3  the proxy cannot begin or go on, for example because the address is in use
`

// proxyOptions are the settings from the command line.
type proxyOptions struct {
	proxy.Config
	proxy.Upstream

	file, check string // of -config, and of -check
}

func (o *proxyOptions) flags() *flag.FlagSet {
	f := flag.NewFlagSet("headway proxy", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.To, "to", "", "the `URL` of the API, perhaps with a path")
	f.StringVar(&o.Listen, "listen", proxy.DefaultListen, "the `address` for clients, or unix:PATH for a socket; other machines can reach the proxy only if it says so, such as 0.0.0.0:8429")
	f.Func("hosts", "the `names`, with commas between them, by which clients may ask, besides localhost: the Host of their requests", func(text string) error {
		o.Hosts = append(o.Hosts, strings.Fields(strings.ReplaceAll(text, ",", " "))...)
		return nil
	})
	f.StringVar(&o.TokenFile, "token-file", "", "a `file` with one token a line: each request needs one of them in its Headway-Token field")
	f.StringVar(&o.file, "config", "", "a YAML `file` with several upstreams, see docs/proxy-operate.md; it replaces all other flags but -listen, -admin-listen, -insecure and -log-level")
	f.StringVar(&o.check, "check", "", "say whether a YAML `file` can be used, and end")
	f.StringVar(&o.AdminListen, "admin-listen", "", "the `address` for health, metrics and the debug page; without it the next port, on loopback")
	f.BoolVar(&o.Insecure, "insecure", false, "start even if other machines can reach the proxy and there are neither -hosts nor a -token-file")
	f.StringVar(&o.LogLevel, "log-level", "", "the least `level` of lines in the log: debug, info, warn or error; without it info")
	f.BoolVar(&o.AccessLog, "access-log", false, "add a line for each request to the log")
	f.StringVar(&o.LogFormat, "log-format", "", "the `format` of the log: json or text; without it json")
	f.DurationVar(&o.MaxWait, "max-wait", 0, "the longest `duration` for which a request is kept back: 0 means 65m, negative for ever")
	o.ResponseTimeout = new(time.Duration)
	f.DurationVar(o.ResponseTimeout, "response-timeout", proxy.DefaultResponseTimeout, "the `duration` within which the upstream must begin its response once it has the request; 0: no limit")
	f.IntVar(&o.MaxRetries, "max-retries", 0, "the `number` of times that a throttled request is sent again: 0 means 3, negative never")
	f.StringVar(&o.Pacing, "pacing", "", "the `way` in which requests are spread: evenly, or measured for bursts with pauses between them")
	f.StringVar(&o.PartitionHeader, "partition-header", "", "a request `field`: requests with equal values share a limit, instead of equal credentials")
	f.Int64Var(&o.ResendBody, "resend-body", proxy.DefaultResendBody, "content of up to so many `bytes` is kept, so that a request can be sent again; 0: the default, negative: none")
	f.IntVar(&o.MaxConnections, "max-connections", proxy.DefaultMaxConnections, "the largest `number` of connections of clients; 0: the default")
	f.DurationVar(&o.Grace, "grace", proxy.DefaultGrace, "the `duration` for which requests may go on when the proxy is stopped; 0: the default, negative: not at all")
	f.Func("fleet", "the `folder` by which proxies on this machine share quotas, or the URL of a Redis or Valkey server for proxies on several machines", func(where string) error {
		if o.Fleet.Folder = where; strings.Contains(where, "://") {
			o.Fleet.Folder, o.Fleet.URL = "", where
		}
		return nil
	})
	f.StringVar(&o.Fleet.KeyFile, "fleet-key", "", "a `file` with at least 16 random bytes, the same on all machines of the fleet; a folder has a key of its own")
	f.StringVar(&o.Snapshot, "snapshot", "", "a `file` that keeps what was learned about limits for the next start; its key is in FILE.key")
	return f
}

// parse parses the command line, and reads the file that it names. The error is flag.ErrHelp if the user asks for help.
func (o *proxyOptions) parse(args []string) (c proxy.Config, err error) {
	f := o.flags()
	if err := f.Parse(args); err != nil {
		return proxy.Config{}, err
	}
	file := cmp.Or(o.check, o.file)
	switch {
	case f.NArg() > 0:
		err = errors.New("there is an argument that no flag takes; the URL goes behind -to")
	case file != "":
		c, err = o.readFile(f, file)
	case o.To == "":
		err = errors.New("-to or -config is needed")
	default:
		c = o.Config
		c.Upstreams = []proxy.Upstream{o.Upstream}
	}
	return c, cmp.Or(err, c.Check())
}

// readFile reads a file. Flags replace what it says.
func (o *proxyOptions) readFile(f *flag.FlagSet, file string) (c proxy.Config, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		c, err = proxy.ReadConfig(file, text)
	}
	f.Visit(func(x *flag.Flag) {
		switch x.Name {
		case "config", "check":
		case "listen":
			c.Listen = o.Listen
		case "admin-listen":
			c.AdminListen = o.AdminListen
		case "insecure":
			c.Insecure = o.Insecure
		case "log-level":
			c.LogLevel = o.LogLevel
		default:
			err = fmt.Errorf("-%s does not go with -config: set it in the file", x.Name)
		}
	})
	return c, err
}

// proxy runs the proxy until a signal comes, and returns the exit code.
func (c *console) proxy(args []string) int {
	o := &proxyOptions{}
	config, err := o.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return c.exitAfter(fmt.Fprint(c.out, help(aboutProxy, o.flags())))
	}
	if o.check != "" {
		return c.check(config, err)
	}
	level := new(slog.LevelVar)
	log := newLog(c.err, config.LogFormat, level)
	if err != nil {
		log.Error("failed", slog.String("reason", err.Error()))
		return exitUsage
	}
	level.Set(config.Level())
	slog.SetDefault(slog.New(proxy.WithoutQuotes(log.Handler()))) // for what net/http writes to package log
	slog.SetLogLoggerLevel(slog.LevelWarn)
	load := func() (proxy.Config, error) { return new(proxyOptions).parse(args) }
	if err := proxy.Run(context.Background(), config, load, log, level); err != nil {
		log.Error("failed", slog.String("reason", err.Error()))
		return exitFailed
	}
	return 0
}

func newLog(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// check says whether a file can be used: err has the reason if it cannot.
func (c *console) check(config proxy.Config, err error) int {
	if err = cmp.Or(err, config.CheckFiles()); err != nil {
		_, _ = fmt.Fprintln(c.err, err) // if writing fails, the exit code still says enough
		return exitUsage
	}
	return c.exitAfter(fmt.Fprintln(c.out, "the configuration can be used"))
}
