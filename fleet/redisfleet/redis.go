package redisfleet

import (
	"context"
	_ "embed" // for the scripts
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway/fleet/internal/store"
)

var (
	//go:embed renew.lua
	renewLua string
	//go:embed agree.lua
	agreeLua string
)

const mostBatch = 128 // partitions in one pipeline

var errForeign = errors.New("not of this program")

// redisStore is a store in Redis or Valkey: one hash for each partition.
type redisStore struct {
	client   redis.UniversalClient
	prefix   string
	renewing *redis.Script
	agreeing *redis.Script
	answered atomic.Bool // the server has answered once, so it is one
}

func newRedisStore(client redis.UniversalClient, prefix string) *redisStore {
	return &redisStore{
		client: client, prefix: prefix,
		renewing: redis.NewScript(renewLua), agreeing: redis.NewScript(agreeLua),
	}
}

// key returns the key of a partition. A cluster chooses the node by the part in braces.
func (s *redisStore) key(name string) string {
	return s.prefix + ":" + strconv.Itoa(store.Version) + ":{" + name + "}"
}

func (s *redisStore) Renew(ctx context.Context, id string, batch []store.Renewal) ([]store.Renewed, error) {
	calls := make([]scriptCall, len(batch))
	for i := range batch {
		calls[i] = scriptCall{s.key(batch[i].Name), []any{
			id, batch[i].Record, batch[i].Keep.Milliseconds(), store.TurnFor.Milliseconds(), 2*store.MostMembers + 4, store.MostBytes,
		}}
	}
	replies := s.run(ctx, s.renewing, calls)
	all, useless := make([]store.Renewed, len(batch)), 0
	for i := range all {
		all[i] = parseReply(replies[i])
		if all[i].Err != nil {
			useless++
		}
	}
	if useless > 0 && useless == len(all) {
		return nil, all[0].Err // if all fail, the error is the store's
	}
	return all, nil
}

func (s *redisStore) Agree(ctx context.Context, batch []store.Outcome) []error {
	calls := make([]scriptCall, len(batch))
	for i := range batch {
		o := &batch[i]
		args := []any{o.Claim, o.Next.Milliseconds(), o.Ledger, len(o.Gone)}
		for _, id := range o.Gone {
			args = append(args, id)
		}
		for id, agreement := range o.Agreements {
			args = append(args, id, agreement)
		}
		calls[i] = scriptCall{s.key(o.Name), args}
	}
	errs := make([]error, len(batch))
	for i, reply := range s.run(ctx, s.agreeing, calls) {
		agreed, err := reply.Bool()
		if err == nil && !agreed {
			err = store.ErrTurn
		}
		errs[i] = err
	}
	return errs
}

// Explain implements store.Store.
func (s *redisStore) Explain(err error) error {
	words := ""
	switch {
	case redis.HasErrorPrefix(err, "WRONGPASS"):
		words = "the password is refused"
	case redis.HasErrorPrefix(err, "NOAUTH"):
		words = "a password is expected"
	case !s.answered.Load() && (errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded)):
		words = "the server has never answered: it is far away, or has TLS and the client has not, or the reverse"
	default:
		return err
	}
	return fmt.Errorf("%s: %w", words, err)
}

// A scriptCall is one run of a script.
type scriptCall struct {
	key  string
	args []any
}

// run runs a script for each key, with one round trip per batch. Each command has its own error.
func (s *redisStore) run(ctx context.Context, script *redis.Script, calls []scriptCall) []*redis.Cmd {
	all := make([]*redis.Cmd, 0, len(calls))
	for batch := range slices.Chunk(calls, mostBatch) {
		cmds := s.pipe(ctx, script.EvalSha, batch)
		s.sendScript(ctx, script, batch, cmds)
		all = append(all, cmds...)
		if !slices.ContainsFunc(cmds, isAnswered) { // further batches would fail in the same way
			return append(all, slices.Repeat(cmds[:1], len(calls)-len(all))...)
		}
		s.answered.Store(true)
	}
	return all
}

// pipe runs the script for each key in one round trip, or one to each node of a cluster.
func (s *redisStore) pipe(ctx context.Context, eval evaluation, calls []scriptCall) []*redis.Cmd {
	pipe, cmds := s.client.Pipeline(), make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		cmds[i] = eval(ctx, pipe, []string{c.key}, c.args...)
	}
	_, err := pipe.Exec(ctx)
	for _, cmd := range cmds { // of a connection that was refused, such as for a wrong password, only Exec returns the error
		if cmd.Err() == nil && cmd.Val() == nil {
			cmd.SetErr(err)
		}
	}
	return cmds
}

// An evaluation is a way to run a script: by its hash, or with its source.
type evaluation func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd

// sendScript runs the script with its source where a server did not know its hash.
func (s *redisStore) sendScript(ctx context.Context, script *redis.Script, calls []scriptCall, cmds []*redis.Cmd) {
	var missed []int
	var again []scriptCall
	for i, cmd := range cmds {
		if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
			missed, again = append(missed, i), append(again, calls[i])
		}
	}
	if len(again) == 0 {
		return
	}
	for i, cmd := range s.pipe(ctx, script.Eval, again) {
		cmds[missed[i]] = cmd
	}
}

// isAnswered reports whether the server has replied, with an error or without.
func isAnswered(cmd *redis.Cmd) bool {
	var reply redis.Error
	return cmd.Err() == nil || errors.As(cmd.Err(), &reply)
}

// parseReply parses the reply of renew.lua.
func parseReply(cmd *redis.Cmd) store.Renewed {
	reply, err := cmd.Slice()
	if err != nil {
		return store.Renewed{Err: err}
	}
	if len(reply) != 2 && len(reply) != 4 {
		return store.Renewed{Err: fmt.Errorf("%w: %d values", errForeign, len(reply))}
	}
	var r store.Renewed
	now, ok := reply[0].(int64)
	if !ok || now < 0 || now > store.MostTime {
		return store.Renewed{Err: fmt.Errorf("%w: no time", errForeign)}
	}
	r.Now = now
	r.Agreement, _ = reply[1].(string) // nil without an agreement
	if len(reply) == 4 {
		claim, _ := reply[2].(string)
		fields, _ := reply[3].([]any)
		r.All = parseFields(claim, fields)
	}
	return r
}

// parseFields parses the fields of a hash.
func parseFields(claim string, fields []any) *store.Contents {
	c := store.NewContents(0)
	c.Claim = claim
	for ; len(fields) >= 2; fields = fields[2:] {
		field, _ := fields[0].(string)
		value, _ := fields[1].(string)
		c.Set(field, value)
	}
	return c
}
