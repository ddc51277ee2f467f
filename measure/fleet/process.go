//go:build unix

package main

import (
	"os/exec"
	"runtime"
)

// A process is a child process. It ends with this process at the latest.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // set once it has ended
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the child would be killed with the thread that started it
		cmd.SysProcAttr = endWithThis()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// kill kills the process and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.ended
}
