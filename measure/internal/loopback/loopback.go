// Package loopback has what programs need that measure real servers on the loopback interface: addresses that stay the
// same over a restart, and time that passes.
package loopback

import (
	"context"
	"net"
	"time"
)

// Any is the address of a free port.
const Any = "127.0.0.1:0"

// Listen listens at an address: Any, or the one of an earlier listener. It tries for a second, as another connection
// may still use the port. The error is that of the last try.
func Listen(addr string) (listener net.Listener, err error) {
	for range 50 {
		var config net.ListenConfig
		if listener, err = config.Listen(context.Background(), "tcp", addr); err == nil {
			return listener, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}

// Sleep returns true after d, or false as soon as ctx ends.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
