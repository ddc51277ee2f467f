package proxy

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/natefinch/atomic"
)

const (
	secretLength = 32 // bytes of a new secret
	leastSecret  = 16 // bytes that a secret has at least
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
	if err == nil && len(secret) < leastSecret {
		err = fmt.Errorf("%s has less than %d bytes", file, leastSecret)
	}
	return secret, err
}

// ensureSecret reads a secret from a file, which it makes if there is none. Only the user may read that file.
func ensureSecret(file string) ([]byte, error) {
	secret, err := readSecret(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := atomic.WriteFile(file, bytes.NewReader(newSecret())); err != nil {
		return nil, err
	}
	return readSecret(file)
}

func newSecret() []byte {
	secret := make([]byte, secretLength)
	_, _ = rand.Read(secret) // never fails
	return secret
}
