package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// networkOf splits an address of a Config: "unix:" goes before the path of a socket, and all others are of TCP.
func networkOf(listen string) (network, address string) {
	if path, isSocket := strings.CutPrefix(listen, "unix:"); isSocket {
		return "unix", path
	}
	return "tcp", listen
}

func isAddress(listen string) bool {
	network, address := networkOf(listen)
	if network == "unix" {
		return address != ""
	}
	_, port, err := net.SplitHostPort(address)
	return err == nil && isPort(port)
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// isExposed reports whether other machines can reach an address.
func isExposed(listen string) bool {
	network, address := networkOf(listen)
	host, _, _ := net.SplitHostPort(address)
	return network == "tcp" && !isLocal(host)
}

// adminOf returns the default of AdminListen.
func adminOf(listen string) string {
	network, address := networkOf(listen)
	if network == "unix" {
		return listen + ".admin"
	}
	_, text, _ := net.SplitHostPort(address)
	port, err := strconv.ParseUint(text, 10, 16)
	if err == nil && port > 0 { // 0: any free port
		port++
	}
	return "127.0.0.1:" + strconv.FormatUint(port, 10)
}

// listenAt listens at an address of a Config. A socket that a killed proxy has left is removed.
func listenAt(ctx context.Context, listen string) (net.Listener, error) {
	network, address := networkOf(listen)
	if info, err := os.Stat(address); network == "unix" && err == nil && info.Mode().Type() == fs.ModeSocket {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			_ = conn.Close() // somebody listens there, and Listen fails
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(address) // if that fails, Listen does, too
		}
	}
	return new(net.ListenConfig).Listen(ctx, network, address)
}

// withTLS returns the listener of clients that speak TLS, if there is a certificate. They get the one of the last reload.
// Without HTTP/2 each request has a connection of its own, as the deadlines need it.
func (p *proxy) withTLS(l net.Listener) net.Listener {
	if p.server.Load().certificate == nil {
		return l
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.server.Load().certificate, nil },
	})
}
