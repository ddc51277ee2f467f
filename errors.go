package headway

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrMaxWait is why a request was refused that would have had to wait longer
// than [Transport.MaxWait], or for ever. It is found with [errors.Is] in what
// RoundTrip returns.
var ErrMaxWait = errors.New("headway: wait is longer than MaxWait")

// ErrLoop is what RoundTrip returns if the Transport is its own Base, or stands below it
// as far as layers can be unwrapped. Nothing is sent.
var ErrLoop = errors.New("headway: the Transport is its own Base")

// What Snapshot and Restore return, by itself or wrapped: it is found with [errors.Is].
var (
	// ErrSnapshotKey: SnapshotKey has fewer than 16 bytes, or is not set.
	ErrSnapshotKey = errors.New("headway: a snapshot needs a SnapshotKey of at least 16 bytes")
	// ErrSnapshotForeign: made with another SnapshotKey, or not a snapshot at all.
	ErrSnapshotForeign = errors.New("headway: this is no snapshot made with the same SnapshotKey")
	// ErrSnapshotVersion: made by a version of headway with another format.
	ErrSnapshotVersion = errors.New("headway: the snapshot has the format of another version")
	// ErrSnapshotDamaged: cut off or changed.
	ErrSnapshotDamaged = errors.New("headway: the snapshot is damaged")
	// ErrSnapshotExpired: more than a day old.
	ErrSnapshotExpired = errors.New("headway: the snapshot is more than a day old")
	// ErrSnapshotFuture: taken more than five minutes from now, as the clock has it.
	ErrSnapshotFuture = errors.New("headway: the snapshot is from the future")
)

// A LimitError says that a request was never sent, because it would have had
// to wait too long. It is found with [errors.As] in what RoundTrip and
// http.Client return, and by [Refused] where responses stand for errors.
type LimitError struct {
	// Partition is the name of the request's partition: what Transport.Partition
	// returned, or in the manner of DefaultPartition, without credentials.
	Partition string

	// Policy is the server's name for the policy that makes the request wait;
	// "" if none has a name, or the wait has another cause.
	Policy string

	// RetryAt is the earliest time at which such a request can start, as far as
	// known now. It is zero if none is known: the Ceiling lets nothing through, or
	// all depends on when another request ends.
	RetryAt time.Time

	// Wait is the time from the refusal to RetryAt; 0 if that is zero.
	Wait time.Duration

	// Err is the reason: context.DeadlineExceeded if the request could not start
	// before its context's deadline, ErrMaxWait if not within MaxWait.
	Err error
}

// Error describes the refusal. The text may change; it holds neither
// credentials nor anything else of the request but its partition.
func (e *LimitError) Error() string {
	var b strings.Builder
	b.WriteString("headway: request not sent")
	if e.Partition != "" {
		b.WriteString(": partition " + e.Partition)
	}
	if e.Policy != "" {
		b.WriteString(": policy " + strconv.Quote(e.Policy)) // a server's words
	}
	if !e.RetryAt.IsZero() {
		b.WriteString(": it would have to wait " + e.Wait.Round(time.Millisecond).String())
	}
	if e.Err != nil {
		b.WriteString(": " + strings.TrimPrefix(e.Err.Error(), "headway: "))
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *LimitError) Unwrap() error { return e.Err }

// Timeout reports whether a deadline was the reason, as in net.Error.
func (e *LimitError) Timeout() bool { return errors.Is(e.Err, context.DeadlineExceeded) }
