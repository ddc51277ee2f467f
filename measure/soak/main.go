package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/headway-go/headway/internal/test/page"
)

func main() {
	s := &soak{
		out:        os.Stdout,
		stormEvery: 15 * time.Second, stormLasts: time.Second,
		restartEvery: 20 * time.Second, downFor: 200 * time.Millisecond,
		patience: 10 * time.Second,
	}
	flag.DurationVar(&s.length, "for", 10*time.Minute, "how long to send requests")
	flag.DurationVar(&s.every, "every", 10*time.Second, "how often to print how it stands")
	flag.Uint64Var(&s.seed, "seed", uint64(os.Getpid()), "what the requests and their faults are drawn from")
	flag.BoolFunc("write", "write docs/figures/soak.md, if nothing is wrong", func(string) (err error) {
		s.write, err = page.Figures()
		return err
	})
	flag.Parse()
	runtime.MemProfileRate = 1 // so that timers can be counted

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}
