//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if isMember() {
		os.Exit(runMember())
	}
	short := flag.Bool("short", false, "shorter runs, with shorter windows")
	write := flag.Bool("write", false, "write docs/figures/fleet.md, if nothing is wrong; not with -short or -only")
	only := flag.String("only", "", "the `part` of the names of those runs that are made; not written")
	verbose := flag.Bool("v", false, "show each window of each run")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{form: fullForm(), out: os.Stdout, only: *only, verbose: *verbose}
	if *short {
		s.form = shortForm()
	}
	if err := s.runInto(ctx, *write && !*short); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		stop()
		os.Exit(1)
	}
}
