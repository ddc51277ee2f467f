//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/headway-go/headway/internal/test/page"
)

func main() {
	if isMember() {
		os.Exit(runMember())
	}
	s := &session{form: fullForm(), out: os.Stdout}
	folder := flag.Bool("folder", false, "the members meet in a folder; -write writes docs/figures/fleet-folder.md")
	short := flag.Bool("short", false, "shorter runs, with shorter windows; not written")
	flag.BoolFunc("write", "write docs/figures/fleet.md, if nothing is wrong", func(string) (err error) {
		s.write, err = page.Figures()
		return err
	})
	flag.StringVar(&s.only, "only", "", "the `part` of the names of those runs that are made; not written")
	flag.BoolVar(&s.verbose, "v", false, "show each window of each run")
	flag.Parse()
	if *short {
		s.form, s.write = shortForm(), ""
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	measure := s.run
	if *folder {
		measure = s.measureFolders
	}
	if err := measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		stop()
		os.Exit(1)
	}
}
