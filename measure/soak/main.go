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
	length := flag.Duration("for", 10*time.Minute, "how long to send requests")
	every := flag.Duration("every", 10*time.Second, "how often to print how it stands")
	seed := flag.Uint64("seed", uint64(os.Getpid()), "what the requests and their faults are drawn from")
	write := flag.Bool("write", false, "write docs/figures/soak.md, if nothing is wrong")
	flag.Parse()
	runtime.MemProfileRate = 1 // so that timers can be counted

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &soak{
		length: *length, every: *every, seed: *seed, out: os.Stdout,
		stormEvery: 15 * time.Second, stormLasts: time.Second,
		restartEvery: 20 * time.Second, downFor: 200 * time.Millisecond,
		patience: 10 * time.Second,
	}
	if err := s.runInto(ctx, *write); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// runInto runs the soak, and finds the folder of its page before that.
func (s *soak) runInto(ctx context.Context, write bool) (err error) {
	if write {
		if s.write, err = page.Figures(); err != nil {
			return err
		}
	}
	return s.run(ctx)
}
