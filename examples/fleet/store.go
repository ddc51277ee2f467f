package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// storeWait bounds the time that a new store may take to reply.
const storeWait = 5 * time.Second

// A store is the Redis server through which the processes share.
type store struct {
	url   string // may have a password
	what  string
	close func()
}

// openStore returns the store at url, or if url is "" the best one available. The store replies already.
func openStore(ctx context.Context, url string) (*store, error) {
	if url != "" {
		return theirs(ctx, url)
	}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if program, err := exec.LookPath(name); err == nil {
			return started(ctx, name, program)
		}
	}
	return inProcess()
}

func theirs(ctx context.Context, url string) (*store, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("$REDIS_URL is no URL of a store") // the cause would contain the URL
	}
	s := &store{url: url, what: "the server at $REDIS_URL, " + options.Addr, close: func() {}}
	if err := answers(ctx, options, 0); err != nil {
		return nil, fmt.Errorf("the store at $REDIS_URL: %w", err)
	}
	return s, nil
}

// started starts a server on a free port. It saves nothing to disk.
func started(ctx context.Context, name, program string) (*store, error) {
	address, err := free()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "headway-example-")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--appendonly", "no")
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &store{url: "redis://" + address, what: fmt.Sprintf("a %s at %s, started for this", name, address), close: func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // returns an error, as it was killed
		_ = os.RemoveAll(dir)
	}}
	if err := answers(ctx, &redis.Options{Addr: address}, storeWait); err != nil {
		s.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func inProcess() (*store, error) {
	m, err := miniredis.Run()
	if err != nil {
		return nil, err
	}
	return &store{
		url: "redis://" + m.Addr(), close: m.Close,
		what: "miniredis at " + m.Addr() + ", as no redis-server is installed and $REDIS_URL is not set",
	}, nil
}

// free returns a free address on this machine.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits until the store replies, for wait at most.
func answers(ctx context.Context, options *redis.Options, wait time.Duration) error {
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	for begun := time.Now(); ; pause(ctx, storeWait/100) {
		err := client.Ping(ctx).Err()
		if err == nil || ctx.Err() != nil || time.Since(begun) > wait {
			return err
		}
	}
}
