package proxy

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	secretLength = 32 // bytes of a new secret
	leastSecret  = 16 // bytes that a secret has at least
)

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
