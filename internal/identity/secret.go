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
	_, _ = rand.Read(secret[:]) // it never fails, see its documentation
	return secret
})

// Hash returns a hash of text that is keyed with a secret of the process: nobody can
// choose texts that collide, and it has no meaning elsewhere. It may be called
// concurrently.
func Hash(text string) uint64 { return maphash.String(hashSeed, text) }

// mark is what a name has of the credential; "" if there is none.
func (k *Key) mark() string {
	if k.Credential == 0 {
		return ""
	}
	// maphash is fast but not made to withstand analysis of its results, so
	// what is shown went through a cryptographic hash as well.
	input := make([]byte, 0, 40)
	secret := nameSecret()
	input = append(input, secret[:]...)
	input = binary.LittleEndian.AppendUint64(input, k.Credential)
	sum := sha256.Sum256(input)
	return "#" + hex.EncodeToString(sum[:8])
}
