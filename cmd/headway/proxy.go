package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/headway-go/headway/cmd/headway/internal/proxy"
)

const proxyUsage = `Usage:

	headway proxy -to URL [flags]
	headway proxy -config FILE [-listen ADDRESS]

Proxy is a local reverse proxy in front of an API. It keeps the requests of all programs that use it,
in any language, just under the limits that the API reports. Set the base URL of
your client to http://127.0.0.1:8429 instead of URL.

The log is on standard error, one JSON object a line. SIGTERM and SIGINT end the proxy
in order, and a second signal ends it at once.
`

const proxyExitCodes = `
Exit codes:

	0  a signal has ended the proxy
	2  the command line is wrong, or the file that it names
	3  the proxy cannot begin or go on, for example because the address is in use
`

// proxyOptions are the settings from the command line.
type proxyOptions struct {
	proxy.Config
	proxy.Upstream

	file string // of -config
}

func (o *proxyOptions) flags() *flag.FlagSet {
	f := flag.NewFlagSet("headway proxy", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.To, "to", "", "the `URL` of the API, perhaps with a path")
	f.StringVar(&o.Listen, "listen", proxy.DefaultListen, "the `address` for clients; other machines can reach the proxy only if it says so, such as 0.0.0.0:8429")
	f.Func("hosts", "the `names`, with commas between them, by which clients may ask, besides localhost: the Host of their requests; without it all names where other machines can reach the proxy", func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			o.Hosts = append(o.Hosts, strings.TrimSpace(name))
		}
		return nil
	})
	f.StringVar(&o.TokenFile, "token-file", "", "a `file` with one token a line: each request needs one of them in its Headway-Token field")
	f.StringVar(&o.file, "config", "", "a YAML `file` with several upstreams, see docs/proxy.md; it replaces all other flags but -listen")
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
		o.Fleet.At(where)
		return nil
	})
	f.StringVar(&o.Fleet.KeyFile, "fleet-key", "", "a `file` with at least 16 random bytes, the same on all machines of the fleet; a folder has a key of its own")
	f.StringVar(&o.Snapshot, "snapshot", "", "a `file` that keeps what was learned about limits for the next start; its key is in FILE.key")
	return f
}

// proxyHelp returns the output of -help.
func proxyHelp() string {
	var b strings.Builder
	f := new(proxyOptions).flags()
	f.SetOutput(&b)
	b.WriteString(proxyUsage + "\nFlags:\n\n")
	f.PrintDefaults()
	b.WriteString(proxyExitCodes)
	return b.String()
}

// parseProxy parses the command line. The error is flag.ErrHelp if the user asks for help.
func parseProxy(args []string) (proxy.Config, error) {
	o := &proxyOptions{}
	f := o.flags()
	if err := f.Parse(args); err != nil {
		return proxy.Config{}, err
	}
	if f.NArg() > 0 {
		return proxy.Config{}, errors.New("there is an argument that no flag takes; the URL goes behind -to")
	}
	if o.file == "" {
		o.Upstreams = []proxy.Upstream{o.Upstream}
		if o.To == "" {
			return proxy.Config{}, errors.New("-to or -config is needed")
		}
		return o.Config, nil
	}
	var wrong error
	f.Visit(func(x *flag.Flag) {
		if x.Name != "config" && x.Name != "listen" {
			wrong = fmt.Errorf("-%s does not go with -config: set it in the file", x.Name)
		}
	})
	if wrong != nil {
		return proxy.Config{}, wrong
	}
	return o.readFile(f)
}

func (o *proxyOptions) readFile(f *flag.FlagSet) (proxy.Config, error) {
	text, err := os.ReadFile(o.file)
	if err != nil {
		return proxy.Config{}, err
	}
	c, err := proxy.ReadConfig(text)
	if err != nil {
		return proxy.Config{}, fmt.Errorf("%s: %w", o.file, err)
	}
	f.Visit(func(x *flag.Flag) {
		if x.Name == "listen" {
			c.Listen = o.Listen
		}
	})
	return c, nil
}

// proxy runs the proxy until a signal comes, and returns the exit code.
func (c *console) proxy(args []string) int {
	config, err := parseProxy(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.exitAfter(fmt.Fprint(c.out, proxyHelp()))
	case err == nil:
		err = config.Check()
	}
	if err != nil {
		return c.usageError("headway proxy: " + err.Error() + "\n\n" + proxyUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal has its usual effect
	log := slog.New(slog.NewJSONHandler(c.err, nil))
	slog.SetDefault(slog.New(proxy.WithoutQuotes(log.Handler()))) // for what net/http writes to package log
	slog.SetLogLoggerLevel(slog.LevelWarn)
	if err := proxy.Run(ctx, config, log); err != nil {
		log.Error("failed", slog.String("reason", err.Error()))
		return exitFailed
	}
	return 0
}
