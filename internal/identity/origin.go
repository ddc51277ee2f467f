package identity

import (
	"hash/maphash"
	"sync"
)

// An Origin is what the keys of all users of one server have in common. It is never written to.
type Origin struct{ Scheme, Host string }

// Key returns the key of a user with that credential.
func (o *Origin) Key(credential uint64) Key {
	return Key{Scheme: o.Scheme, Host: o.Host, Credential: credential}
}

// Origins has the partitions of one server keep its Origin once, however many there are. The zero value is ready. It
// may be used concurrently.
//
// It remembers few of them: a crawler has a partition for each of a hundred thousand servers, and nothing to share. An
// Origin that was displaced meanwhile is made again, which costs memory and changes nothing.
type Origins struct {
	mu     sync.Mutex
	recent [64]*Origin // by a hash
}

// Of returns the Origin of a key. It keeps nothing of the request alive.
func (o *Origins) Of(k *Key) *Origin {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := &o.recent[maphash.String(hashSeed, k.Host)%uint64(len(o.recent))]
	if origin := (Origin{k.Scheme, k.Host}); *at == nil || **at != origin {
		kept := k.Clone()
		*at = &Origin{kept.Scheme, kept.Host}
	}
	return *at
}
