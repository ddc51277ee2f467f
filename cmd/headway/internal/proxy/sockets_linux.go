package proxy

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsent returns how many bytes of a connection its other end has not taken; 0: not known.
func unsent(conn net.Conn) (n int) {
	socket, isSocket := conn.(syscall.Conn)
	if !isSocket {
		return 0
	}
	if raw, err := socket.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) }) // an error means that it is closed
	}
	return n
}
