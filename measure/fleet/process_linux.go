package main

import "syscall"

// endWithThis has the kernel kill the child if this process is killed.
func endWithThis() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
