package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"sync"
)

// hashSeed is drawn when the process starts and never changes.
//
//nolint:gochecknoglobals // headway.DefaultPartition is a function, and its results must agree within a process.
var hashSeed = maphash.MakeSeed()

// nameSecret is drawn once per process and never changes.
//
//nolint:gochecknoglobals // headway.DefaultPartition is a function, and its results must agree within a process.
var nameSecret = sync.OnceValue(func() (secret [32]byte) {
	_, _ = rand.Read(secret[:]) // never fails, see its documentation
	return secret
})

// Hash returns a hash of text, keyed with a secret of the process. So nobody can choose texts with equal hashes, and the
// hash is of no use in another process. It may be called concurrently.
func Hash(text string) uint64 { return maphash.String(hashSeed, text) }

// mark is the part of a partition's name for the credential; "" if there is none.
func (k *Key) mark() string {
	if k.Credential == 0 {
		return ""
	}
	// maphash is fast, but its results might reveal its seed. So users see a cryptographic hash of it.
	input := make([]byte, 0, 40)
	secret := nameSecret()
	input = append(input, secret[:]...)
	input = binary.LittleEndian.AppendUint64(input, k.Credential)
	sum := sha256.Sum256(input)
	return "#" + hex.EncodeToString(sum[:8])
}
