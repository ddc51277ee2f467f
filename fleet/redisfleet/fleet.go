// Package redisfleet lets the processes of a fleet meet in a Redis or Valkey server that all of them can reach. Package fleet
// has what a fleet does.
//
//	client := redis.NewClient(&redis.Options{Addr: "redis:6379"})
//	f, err := redisfleet.New(client, redisfleet.Options{Key: key}) // the same key in all processes
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	transport := &headway.Transport{Fleet: f}
//
// The store has one hash for each partition, with the key "headway:1:{name}". A hash expires when it has not been renewed for
// twice its longest window, for a minute at least and an hour at most. "headway:1:{keys}" tells which keys fleets have. The server need not save anything to disk. On a cluster,
// each hash is on one node. A Redis user for this purpose needs the commands EVAL, EVALSHA, and for the scripts TIME, DEL, HDEL,
// HEXISTS, HGET, HGETALL, HLEN, HSET and PEXPIRE. The server must be Redis 5 or later, or Valkey.
//
// Each renewal runs one script for each active partition, in pipelines, and one more for each new division.
//
// go-redis has a log of its own, see its SetLogger. For a Cluster set MaxRedirects and DialerRetries to 1. Otherwise a node that
// is down can delay the other nodes' replies for longer than a renewal may take.
package redisfleet

import (
	"cmp"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway/fleet"
)

// Options are the settings of a Fleet. Key must be set.
type Options struct {
	// Key is the secret of fleet.Options. It must be the same in all processes of the fleet.
	Key []byte

	// Prefix begins the names of all keys in the store. "" means "headway". Fleets with different prefixes do
	// not share anything. Those with different secrets need different prefixes: else they report fleet.ErrOtherKey.
	Prefix string
}

// New returns a Fleet with its store at client: a single server, Sentinel or Cluster. The Fleet starts at
// once and does not wait for the store. The caller closes the Fleet, and the client after it.
//
// New returns fleet.ErrKey if the key is too short, and another error if client is nil.
func New(client redis.UniversalClient, o Options) (*fleet.Fleet, error) {
	if client == nil {
		return nil, errors.New("fleet: the client is nil")
	}
	return fleet.New(newRedisStore(client, cmp.Or(o.Prefix, "headway")), fleet.Options{Key: o.Key})
}
