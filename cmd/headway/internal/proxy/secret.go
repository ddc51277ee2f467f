package proxy

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/natefinch/atomic"
)

// readAccess reads the files that a reload reads again. nil: there are no tokens, or no certificate.
func (c *Config) readAccess() (tokens []token, certificate *tls.Certificate, err error) {
	if c.TokenFile != "" {
		if tokens, err = readTokens(c.TokenFile); err != nil {
			return nil, nil, fmt.Errorf("the token: %w", err)
		}
	}
	if c.TLS.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.TLS.CertFile, c.TLS.KeyFile)
		if err != nil {
			return nil, nil, fmt.Errorf("the certificate: %w", err)
		}
		certificate = &pair
	}
	return tokens, certificate, nil
}

// CheckFiles returns what is wrong with the files that a Config names. They may differ for another user.
func (c Config) CheckFiles() error {
	_, _, err := c.readAccess()
	if err == nil {
		_, err = c.Fleet.key()
	}
	return err
}

// key reads the key of a fleet; nil: it has none of its own.
func (f Fleet) key() (key []byte, err error) {
	if f.KeyFile != "" {
		if key, err = readSecret(f.KeyFile); err != nil {
			return nil, fmt.Errorf("the key of the fleet: %w", err)
		}
	}
	return key, nil
}

// readSecret reads a secret from a file.
func readSecret(file string) ([]byte, error) {
	secret, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err == nil && len(secret) < 16 {
		err = errors.New(file + " has less than 16 bytes")
	}
	return secret, err
}

// ensureSecret reads a secret from a file, which it makes if there is none. Only the user may read that file.
func ensureSecret(file string) ([]byte, error) {
	secret, err := readSecret(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	secret = []byte(rand.Text())
	return secret, atomic.WriteFile(file, bytes.NewReader(secret))
}

// keyFile is the file with the secret that seals a snapshot.
func keyFile(snapshot string) string { return snapshot + ".key" }

// restore reads what an earlier run has learned about limits, if there is a file: a JSON object with a sealed snapshot for each
// upstream, by name, see headway.Transport.Snapshot. What cannot be used of it is in the log, and all the rest is restored.
func (p *proxy) restore() {
	text, err := os.ReadFile(p.config.Snapshot)
	if p.config.Snapshot == "" || errors.Is(err, fs.ErrNotExist) {
		return
	}
	var snapshots map[string][]byte
	if err == nil && json.Unmarshal(text, &snapshots) != nil {
		err = errors.New(p.config.Snapshot + " is no snapshot")
	}
	for _, u := range p.upstreams {
		if data, isThere := snapshots[u.Name]; isThere {
			if wrong := u.transport.Restore(data); wrong != nil {
				err = errors.Join(err, fmt.Errorf("upstream %s: %w", u.Name, wrong))
			}
		}
	}
	if err != nil {
		p.log.Warn("snapshot is not used", slog.String("reason", err.Error()))
	}
}

// save writes that file. At any moment it is whole, the old one or the new one.
func (p *proxy) save() {
	if p.config.Snapshot == "" {
		return
	}
	var err error
	snapshots := map[string][]byte{}
	for _, u := range p.upstreams {
		data, failed := u.transport.Snapshot()
		snapshots[u.Name], err = data, cmp.Or(err, failed)
	}
	text, _ := json.Marshal(snapshots) // of plain types, so it cannot fail
	if err == nil {
		err = atomic.WriteFile(p.config.Snapshot, bytes.NewReader(text)) // for this user alone, if it is new
	}
	if err != nil {
		p.log.Warn("snapshot is not written", slog.String("reason", err.Error()))
	}
}
