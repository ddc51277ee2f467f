//go:build unix && !linux

package main

import "syscall"

// endWithThis is for Linux: elsewhere a redis-server is left if this process is killed.
func endWithThis() *syscall.SysProcAttr { return nil }
