//go:build unix

package main

import (
	"os/exec"
	"runtime"
)

// A process is one that was started here, and ends with this one at the latest.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // once it has ended
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // to the end: with the thread that started it a process would end
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

// kill ends the process, whatever it does, and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}
