package main

import "syscall"

// endWithThis has a process killed if this one ends without having done so.
func endWithThis() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
