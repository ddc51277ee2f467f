//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// errNoStore means that there is no binary to run.
var errNoStore = errors.New("neither redis-server nor valkey-server is installed")

// A store is a redis-server or valkey-server. It has the same address after a restart, and saves nothing to
// disk.
type store struct {
	binary, dir, addr string
	process           *process
}

func findStore() (binary string, err error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if binary, err = exec.LookPath(name); err == nil {
			return binary, nil
		}
	}
	return "", errNoStore
}

// newStore starts a store in a directory of its own. The caller closes it.
func newStore(ctx context.Context) (*store, error) {
	binary, err := findStore()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "headway-fleet-")
	if err != nil {
		return nil, err
	}
	s := &store{binary: binary, dir: dir}
	for range 5 { // another program may take the port meanwhile
		if s.addr, err = freeAddr(ctx); err == nil {
			err = s.start(ctx)
		}
		if err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(err, s.close())
}

func freeAddr(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// start starts the server, empty, and returns once it replies.
func (s *store) start(ctx context.Context) (err error) {
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return err
	}
	s.process, err = startProcess(exec.Command(s.binary, "--bind", host, "--port", port, "--dir", s.dir,
		"--save", "", "--appendonly", "no", "--loglevel", "warning"))
	if err != nil {
		return err
	}
	for range 500 {
		if s.answers(ctx) {
			return nil
		}
		select {
		case <-s.process.ended:
			return fmt.Errorf("%s has ended: %w", s.binary, s.process.err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	s.process.kill()
	return fmt.Errorf("%s does not answer", s.binary)
}

func (s *store) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // nothing is left to be written
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return err == nil && line == "+PONG\r\n"
}

func (s *store) kill() error {
	s.process.kill()
	return nil
}

func (s *store) signal(sig syscall.Signal) error { return s.process.cmd.Process.Signal(sig) }

// close ends the server and removes its directory.
func (s *store) close() error {
	if s.process != nil {
		s.process.kill()
	}
	return os.RemoveAll(s.dir)
}
