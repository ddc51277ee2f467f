package proxy

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// segment is the most that a client's connection carries at once, in bytes, as on Ethernet. Between programs on one machine it
// would be 64 KiB, and a client's system would say so seldom that the client reads: after 100 KB.
const segment = 1460

// tune prepares a listener for clients that read slowly.
func tune(l net.Listener) {
	control(l, func(fd int) { _ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG, segment) })
}

// unsent returns how many bytes of a connection its other end has not taken; 0: not known.
func unsent(conn net.Conn) (n int) {
	control(conn, func(fd int) { n, _ = unix.IoctlGetInt(fd, unix.SIOCOUTQ) })
	return n
}

// control calls f with the file descriptor of what has one.
func control(socket any, f func(fd int)) {
	s, isSocket := socket.(syscall.Conn)
	if !isSocket {
		return
	}
	if raw, err := s.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { f(int(fd)) }) // an error means that it is closed
	}
}
