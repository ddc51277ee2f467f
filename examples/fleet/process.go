package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// A process is a member of the fleet that was started.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bytes.Buffer // must not be read before the process has ended
}

// launch starts this program once more, as a member of the fleet. The process is killed if ctx ends.
func launch(ctx context.Context, o orders) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, program, memberArg), out: new(bytes.Buffer)}
	p.cmd.Stdout, p.cmd.Stderr = p.out, os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(p.in).Encode(o); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// kill kills the process and waits for its end.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill() // SIGKILL, where there are signals
		_ = p.cmd.Wait()         // returns an error, as the process was killed
	}
}

// stop tells the process to end.
func (p *process) stop() { _ = p.in.Close() }

// report waits for the end of a process and returns its report.
func (p *process) report() (r report, err error) {
	if err := p.cmd.Wait(); err != nil {
		return r, fmt.Errorf("a process: %w", err)
	}
	return r, json.Unmarshal(p.out.Bytes(), &r)
}
