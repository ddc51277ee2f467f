package proxy

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAdminListen(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8429": "127.0.0.1:8430", "0.0.0.0:80": "127.0.0.1:81", ":0": "127.0.0.1:0", "[::1]:9": "127.0.0.1:10",
		"unix:/run/headway.sock": "unix:/run/headway.sock.admin",
	} {
		require.Equal(t, want, adminOf(listen))
	}
}

// A proxy serves on a socket, in whose place a killed one may have left its own. It takes no socket that is in use, and no file
// that is none. At its end it removes its own.
func TestSocket(t *testing.T) {
	upstream := listen(t, echo)
	path := filepath.Join(t.TempDir(), "s")
	left, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	c := Config{Listen: "unix:" + path, Upstreams: []Upstream{{To: upstream.URL}}}
	log, text := newLog()
	require.ErrorIs(t, Run(t.Context(), c, nil, log, new(slog.LevelVar)), syscall.EADDRINUSE)
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, left.Close())

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, c, nil, log, new(slog.LevelVar)) }()
	text.await("start")
	for at, url := range map[string]string{path: "http://localhost/", path + ".admin": "http://localhost" + readyPath} {
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", at)
		}}
		resp, err := (&http.Client{Transport: transport}).Do(request(t, http.MethodGet, url, nil))
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
		require.NoError(t, resp.Body.Close())
		transport.CloseIdleConnections()
	}
	stop()
	require.NoError(t, <-ended)
	_, err = os.Stat(path)
	require.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(path, []byte("a file of somebody"), 0o600))
	require.Error(t, Run(t.Context(), c, nil, log, new(slog.LevelVar)))
	require.FileExists(t, path)
}

// writeCertificate writes a certificate of localhost with a serial number.
func writeCertificate(t *testing.T, files TLS, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files.CertFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600))
	require.NoError(t, os.WriteFile(files.KeyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// Clients can use TLS. A reload reads the certificate again, and connections that there are stay. Links of the upstream lead to
// the proxy by https. A client without TLS is told so, and handshakes that fail leave no line.
func TestTLS(t *testing.T) {
	folder := t.TempDir()
	files := TLS{filepath.Join(folder, "cert"), filepath.Join(folder, "key")}
	writeCertificate(t, files, 1)
	upstream := listen(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Location", "http://"+r.Host+"/next") })
	c := Config{TLS: files, Upstreams: []Upstream{{To: upstream.URL}}}
	hangups := make(chan os.Signal)
	d := open(t, upstream, c, func(p *proxy) { p.hangups, p.load = hangups, func() (Config, error) { return c, nil } })
	address := d.url[len("http://"):]

	ask := func(client *http.Client) (serial int64) {
		resp, err := client.Do(request(t, http.MethodGet, "https://"+address+"/", nil))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, "https://"+address+"/next", resp.Header.Get("Location"))
		require.Equal(t, "HTTP/1.1", resp.Proto)
		return resp.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	newClient := func() *http.Client {
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the certificate is the test's own
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	old := newClient()
	require.EqualValues(t, 1, ask(old))
	writeCertificate(t, files, 2)
	hangups <- syscall.SIGHUP
	d.log.await("reload")
	require.EqualValues(t, 2, ask(newClient()))
	require.EqualValues(t, 1, ask(old), "its connection stays")

	require.NoError(t, os.Remove(files.KeyFile))
	hangups <- syscall.SIGHUP
	require.Contains(t, d.log.await("reload failed"), "the certificate: open")
	require.EqualValues(t, 2, ask(newClient()))

	resp, err := d.client.Do(request(t, http.MethodGet, d.url, nil))
	require.NoError(t, err)
	require.Equal(t, 400, resp.StatusCode)
	require.Contains(t, textOf(t, resp), "HTTP request to an HTTPS server")
	require.NotContains(t, d.log.String(), "handshake")
}
