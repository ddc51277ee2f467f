package identity

import (
	"hash/maphash"
	"sync"
)

// An Origin is the part that the keys of all users of one server have in common. It never changes.
type Origin struct{ Scheme, Host string }

// Key returns the key for that credential.
func (o *Origin) Key(credential uint64) Key {
	return Key{Scheme: o.Scheme, Host: o.Host, Credential: credential}
}

// Origins lets all partitions of one server share one Origin, to save memory. The zero value is ready for use. It may
// be used concurrently.
//
// It remembers the last Origins only, as a crawler may have thousands of servers with one partition each. An
// Origin that is no longer remembered is made again, which costs memory only.
type Origins struct {
	mu     sync.Mutex
	recent [64]*Origin // by the hash of the host
}

// Of returns the Origin of a key. It does not keep the request's memory alive.
func (o *Origins) Of(k *Key) *Origin {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := &o.recent[maphash.String(hashSeed, k.Host)%uint64(len(o.recent))]
	if origin := (Origin{k.Scheme, k.Host}); *at == nil || **at != origin {
		cloned := k.Clone()
		*at = &Origin{cloned.Scheme, cloned.Host}
	}
	return *at
}
