package proxy

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	secretLength = 32 // bytes of a new secret
	leastSecret  = 16 // bytes that a secret has at least
)

// keys are the secrets of a proxy, which stay the same until it ends.
type keys struct {
	fleet    []byte // the same for all members; nil: no fleet
	snapshot []byte // the same in each run; nil: no snapshot
}

// readKeys reads the files that the Config names. The key of a snapshot is made if there is none.
func readKeys(c *Config) (k keys, err error) {
	if c.Fleet.KeyFile != "" {
		if k.fleet, err = readSecret(c.Fleet.KeyFile); err != nil {
			return keys{}, fmt.Errorf("the key of the fleet: %w", err)
		}
	}
	if c.Snapshot != "" {
		if k.snapshot, err = ensureSecret(keyFile(c.Snapshot)); err != nil {
			return keys{}, fmt.Errorf("the key of the snapshot: %w", err)
		}
	}
	return k, nil
}

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
	if err == nil && c.Fleet.KeyFile != "" {
		_, err = readSecret(c.Fleet.KeyFile)
	}
	return err
}

// ofPartitions is the secret that makes names of partitions from the values of a header field. Members of a fleet must give
// the same name to the same value, and so must each run of a proxy with a snapshot.
func (k keys) ofPartitions() []byte {
	switch {
	case k.fleet != nil:
		return k.fleet
	case k.snapshot != nil:
		return k.snapshot
	}
	return newSecret()
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
	if err := writeFile(file, newSecret()); err != nil {
		return nil, err
	}
	return readSecret(file)
}

func newSecret() []byte {
	secret := make([]byte, secretLength)
	_, _ = rand.Read(secret) // never fails
	return secret
}
