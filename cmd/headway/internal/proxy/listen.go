package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
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
	listener, err := new(net.ListenConfig).Listen(ctx, network, address)
	if network != "unix" || !errors.Is(err, syscall.EADDRINUSE) {
		return listener, err
	}
	info, noFile := os.Stat(address)
	conn, refused := new(net.Dialer).DialContext(ctx, network, address)
	switch {
	case refused == nil:
		return nil, errors.Join(err, conn.Close()) // somebody listens there
	case noFile != nil || info.Mode().Type() != fs.ModeSocket || !errors.Is(refused, syscall.ECONNREFUSED):
		return nil, err
	}
	if err := os.Remove(address); err != nil {
		return nil, err
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

// A handshakeHandler makes failed handshakes lines of level Debug: anyone can cause any number of them.
type handshakeHandler struct{ slog.Handler }

func (h handshakeHandler) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "http: TLS handshake error") {
		r.Level = slog.LevelDebug
	}
	if !h.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
