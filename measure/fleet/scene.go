//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// A scene has everything that a run needs.
type scene struct {
	service *service
	store   *store   // nil without a fleet, or in a folder
	folder  string   // "": not in a folder
	proxies []*proxy // one for each member, or none
	members []*member
}

// A member is a process that makes calls.
type member struct {
	*process
	name   string
	output bytes.Buffer
	killed bool // it leaves no account
}

// newScene sets up everything except the members. The caller closes it.
func newScene(ctx context.Context, f *form, r *run) (*scene, error) {
	s := &scene{service: newService(f.limiter(r.limit), f.dialect)}
	if !r.fleet {
		return s, nil
	}
	var err error
	if f.isFolder {
		s.folder, err = os.MkdirTemp("", "headway-fleet-")
		return s, err
	}
	if s.store, err = newStore(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if r.fault.proxied {
		for range f.processes {
			p, err := newProxy(s.store.addr)
			if err != nil {
				return nil, errors.Join(err, s.close())
			}
			s.proxies = append(s.proxies, p)
		}
	}
	return s, nil
}

// startMembers starts the members.
func (s *scene) startMembers(f *form, until time.Time) error {
	for range f.processes {
		if err := s.startMember(f, until); err != nil {
			return err
		}
	}
	return nil
}

// startMember starts one more member.
func (s *scene) startMember(f *form, until time.Time) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o := orders{Name: strconv.Itoa(len(s.members) + 1), URL: s.service.URL, Until: until, Workers: f.workers, Store: s.folder}
	switch {
	case s.proxies != nil:
		o.Store = s.proxies[len(s.members)].addr
	case s.store != nil:
		o.Store = s.store.addr
	}
	ordered, err := json.Marshal(o)
	if err != nil {
		return err
	}
	m := &member{name: o.Name}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), memberEnv+"="+string(ordered))
	cmd.Stdout, cmd.Stderr = &m.output, os.Stderr
	if m.process, err = startProcess(cmd); err != nil {
		return err
	}
	s.members = append(s.members, m)
	return nil
}

// accounts waits for the members' ends, and returns their accounts.
func (s *scene) accounts(ctx context.Context) ([]*account, error) {
	var all []*account
	for _, m := range s.members {
		select {
		case <-m.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		a := new(account)
		if m.killed {
			continue
		}
		if m.err != nil {
			return nil, fmt.Errorf("member %s: %w", m.name, m.err)
		}
		if err := json.Unmarshal(m.output.Bytes(), a); err != nil {
			return nil, fmt.Errorf("member %s: %w", m.name, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// close ends everything.
func (s *scene) close() (err error) {
	for _, m := range s.members {
		m.kill()
	}
	for _, p := range s.proxies {
		p.close()
	}
	if s.store != nil {
		err = s.store.close()
	}
	s.service.Close()
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
	}
	return err
}
