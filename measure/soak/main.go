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
)

func main() {
	length := flag.Duration("for", 10*time.Minute, "how long to send requests")
	every := flag.Duration("every", 10*time.Second, "how often to print how it stands")
	seed := flag.Uint64("seed", uint64(os.Getpid()), "what the requests and their faults are drawn from")
	write := flag.String("write", "", "the `file` that is written, if nothing is wrong, with the closing table in Markdown")
	flag.Parse()
	runtime.MemProfileRate = 1 // so that timers can be counted

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &soak{
		length: *length, every: *every, seed: *seed, out: os.Stdout, write: *write,
		stormEvery: 15 * time.Second, stormLasts: time.Second,
		restartEvery: 20 * time.Second, downFor: 200 * time.Millisecond,
		patience: 10 * time.Second,
	}
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}
