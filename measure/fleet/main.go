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
	write := flag.String("write", "", "the `file` that is written, if nothing is wrong, with the tables in Markdown")
	only := flag.String("only", "", "the `part` of the names of those runs that are made; not written")
	verbose := flag.Bool("v", false, "show each window of each run")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{form: fullForm(), out: os.Stdout, write: *write, only: *only, verbose: *verbose}
	if *short {
		s.form = shortForm()
	}
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		stop()
		os.Exit(1)
	}
}
