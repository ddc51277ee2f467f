package fleet

import (
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed renew.lua
	renewLua string
	//go:embed agree.lua
	agreeLua string
)

const (
	mostBatch = 128                    // partitions in one pipeline
	turnFor   = 500 * time.Millisecond // in which who has the turn must have agreed
)

// redisStore is a store in Redis or Valkey: one hash for each partition.
type redisStore struct {
	client   redis.UniversalClient
	prefix   string
	renewing *redis.Script
	agreeing *redis.Script
}

func newRedisStore(client redis.UniversalClient, prefix string) *redisStore {
	return &redisStore{client: client, prefix: prefix, renewing: redis.NewScript(renewLua), agreeing: redis.NewScript(agreeLua)}
}

// key is where a partition is. The braces keep all that is in it on one node of a cluster.
func (s *redisStore) key(name string) string {
	return s.prefix + ":" + strconv.Itoa(version) + ":{" + name + "}"
}

func (s *redisStore) renew(ctx context.Context, id string, batch []renewal) ([]renewed, error) {
	calls := make([]scriptCall, len(batch))
	for i := range batch {
		calls[i] = scriptCall{s.key(batch[i].name), []any{
			id, batch[i].record, batch[i].keep.Milliseconds(), turnFor.Milliseconds(), 2*mostMembers + 4, mostBytes,
		}}
	}
	replies, err := s.run(ctx, s.renewing, calls)
	if err != nil {
		return nil, err
	}
	all := make([]renewed, len(batch))
	for i, reply := range replies {
		all[i] = parseReply(reply)
	}
	return all, nil
}

func (s *redisStore) agree(ctx context.Context, batch []outcome) error {
	calls := make([]scriptCall, len(batch))
	for i := range batch {
		o := &batch[i]
		args := []any{o.claim, o.next.Milliseconds(), o.ledger, len(o.gone)}
		for _, id := range o.gone {
			args = append(args, id)
		}
		for id, told := range o.told {
			args = append(args, id, told)
		}
		calls[i] = scriptCall{s.key(o.name), args}
	}
	replies, err := s.run(ctx, s.agreeing, calls)
	for _, reply := range replies {
		err = errors.Join(err, reply.Err())
	}
	return err
}

// A scriptCall is one run of a script.
type scriptCall struct {
	key  string
	args []any
}

// run runs a script for each key, in as few round trips as there are batches. A server
// that does not have the script yet is sent it. err is that of the first call if all
// have failed.
func (s *redisStore) run(ctx context.Context, script *redis.Script, calls []scriptCall) ([]*redis.Cmd, error) {
	all := make([]*redis.Cmd, 0, len(calls))
	for len(calls) > 0 {
		n := min(len(calls), mostBatch)
		pipe := s.client.Pipeline()
		cmds := make([]*redis.Cmd, n)
		for i, c := range calls[:n] {
			cmds[i] = script.EvalSha(ctx, pipe, []string{c.key}, c.args...)
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
		for i, c := range calls[:n] {
			if redis.HasErrorPrefix(cmds[i].Err(), "NOSCRIPT") {
				cmds[i] = script.Eval(ctx, s.client, []string{c.key}, c.args...)
			}
		}
		all = append(all, cmds...)
		calls = calls[n:]
		if err := failed(cmds); err != nil {
			return nil, err // the rest would have to wait for the same
		}
	}
	return all, nil
}

// failed returns the first error if no command has succeeded.
func failed(cmds []*redis.Cmd) error {
	for _, cmd := range cmds {
		if cmd.Err() == nil {
			return nil
		}
	}
	return cmds[0].Err()
}

// parseReply reads what renew.lua returns.
func parseReply(cmd *redis.Cmd) renewed {
	reply, err := cmd.Slice()
	if err != nil {
		return renewed{err: err}
	}
	if len(reply) != 2 && len(reply) != 4 {
		return renewed{err: fmt.Errorf("%w: %d values", errForeign, len(reply))}
	}
	var r renewed
	now, ok := reply[0].(int64)
	if !ok || !isTime(now) {
		return renewed{err: fmt.Errorf("%w: no time", errForeign)}
	}
	r.now = now
	r.told, _ = reply[1].(string) // nil if nothing was told
	if len(reply) == 4 {
		claim, _ := reply[2].(string)
		fields, _ := reply[3].([]any)
		r.all = parseFields(claim, fields)
	}
	return r
}

// parseFields reads the fields of a hash, and ignores those that are not ours.
func parseFields(claim string, fields []any) *contents {
	c := &contents{claim: claim, records: make(map[string]stamped), told: make(map[string]string)}
	for ; len(fields) >= 2; fields = fields[2:] {
		field, _ := fields[0].(string)
		value, _ := fields[1].(string)
		switch {
		case field == "b":
			c.born = parseTime(value)
		case field == "w":
			c.written = parseTime(value)
		case field == "l":
			c.ledger = value
		case strings.HasPrefix(field, "m"):
			at, record, _ := strings.Cut(value, " ")
			c.records[field[1:]] = stamped{parseTime(at), record}
		case strings.HasPrefix(field, "t"):
			c.told[field[1:]] = value
		}
	}
	return c
}

// parseTime returns 0 for what is none.
func parseTime(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || !isTime(n) {
		return 0
	}
	return n
}
