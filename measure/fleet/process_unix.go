//go:build unix && !linux

package main

import "syscall"

// endWithThis does nothing except on Linux: elsewhere a redis-server stays if this process is killed.
func endWithThis() *syscall.SysProcAttr { return nil }
