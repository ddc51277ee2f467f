// Fleet shows how processes share one quota. It starts a server with a limit, and three processes that want to send more than
// the limit allows. It kills one of them in mid-run, and draws when the others sent.
//
//	cd examples/fleet && go run .
//
// The processes meet in a folder. With -redis they meet in the Redis or Valkey server at $REDIS_URL, or on this machine.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	if isMember(os.Args) {
		end(member(os.Stdin, os.Stdout))
	}
	svg := flag.String("svg", "", "a `file` to which the picture is written as SVG, too")
	redis := flag.Bool("redis", false, "meet in the Redis or Valkey server at $REDIS_URL, by default redis://127.0.0.1:6379")
	flag.Parse()
	store := ""
	if *redis {
		store = cmp.Or(os.Getenv("REDIS_URL"), "redis://127.0.0.1:6379")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	end(show(ctx, os.Stdout, *svg, store, plan{
		quota: 100, window: 5 * time.Second, processes: 3, kill: 6 * time.Second, end: 15 * time.Second,
	}))
}

// end prints the error and ends the program.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// show runs the plan and shows the result. store is the URL of a Redis server; "": the processes meet in a new folder.
func show(ctx context.Context, out io.Writer, svg, store string, p plan) error {
	meet := "the Redis server at $REDIS_URL" // the URL may have a password
	if store == "" {
		dir, err := os.MkdirTemp("", "headway-example-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		store, meet = dir, "the folder "+dir
	}
	_, err := fmt.Fprintf(out, "A server allows %d requests per %v s with one API key, which %d processes share.\n"+
		"Each has more to send than that. Number %d is killed after %v s, and all is over after %v s.\n"+
		"They meet in %s.\n\n",
		p.quota, p.window.Seconds(), p.processes, p.processes, p.kill.Seconds(), p.end.Seconds(), meet)
	if err != nil {
		return err
	}
	r, err := p.run(ctx, store)
	if err != nil {
		return err
	}
	return r.show(out, svg)
}

func (r *result) show(out io.Writer, svg string) error {
	_, err := io.WriteString(out, r.picture()+"\n"+r.table())
	if svg != "" {
		err = errors.Join(err, os.WriteFile(svg, r.svg(), 0o644))
	}
	return errors.Join(err, r.unaccounted())
}
