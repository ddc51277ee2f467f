package headway

import "github.com/headway-go/headway/internal/snapshot"

// What Snapshot and Restore return, by itself or wrapped: it is found with [errors.Is].
var (
	// ErrSnapshotKey: SnapshotKey has fewer than 16 bytes, or is not set.
	ErrSnapshotKey = snapshot.ErrKey
	// ErrSnapshotForeign: made with another SnapshotKey, or not a snapshot at all.
	ErrSnapshotForeign = snapshot.ErrForeign
	// ErrSnapshotVersion: made by a version of headway with another format.
	ErrSnapshotVersion = snapshot.ErrVersion
	// ErrSnapshotDamaged: cut off or changed.
	ErrSnapshotDamaged = snapshot.ErrDamaged
	// ErrSnapshotExpired: more than a day old.
	ErrSnapshotExpired = snapshot.ErrExpired
	// ErrSnapshotFuture: taken more than five minutes from now, as the clock has it.
	ErrSnapshotFuture = snapshot.ErrFuture
)

// Snapshot returns what the Transport has learned, for [Transport.Restore] in a
// program that runs later: limits and what is left of them, holds, paces. So a
// program that lives for seconds begins where its last run stopped, instead of
// finding the limits anew each time. (To which routes they apply is learned anew.) It
// is sealed with SnapshotKey and fit to be stored in a file; a file that was written
// only in part will be refused.
//
// It holds no credentials and nothing of any URL. Partitions have names in it that
// only the same SnapshotKey can make. The names that servers gave to policies,
// partition keys and quota units are in it as they came.
//
// What was restored and not used yet is in it as well, so that runs which use
// different servers do not forget each other's, but no longer than for a day. If it
// would exceed 16 MiB, the partitions used longest ago are left out.
//
// Requests in flight count as sent. Snapshot is safe for concurrent use and delays
// no request; each partition is saved as of a slightly different moment.
//
// Errors: ErrSnapshotKey.
func (t *Transport) Snapshot() ([]byte, error) {
	t.once.Do(t.start)
	return t.core.shelf.Seal()
}

// Restore takes over what a Snapshot says, of this program or of another one with
// the same SnapshotKey. It is best called before the first request. Partitions that
// requests have used already keep what they know, which is newer; for others, what
// is restored is kept ready until their first request. Of two snapshots that are
// restored, the second counts.
//
// Between the two, time has passed by the machine's clock: windows have ended, and
// holds too if they were short enough. Nothing is believed beyond Bounds.MaxReset.
//
// If an error is returned nothing has changed, and the Transport works as without
// it, so that there is no need to stop. Errors, to be found with [errors.Is]:
// ErrSnapshotKey; ErrSnapshotForeign, ErrSnapshotVersion and ErrSnapshotDamaged for
// data that cannot be read; ErrSnapshotExpired for a snapshot that is more than a day
// old, ErrSnapshotFuture for one that was taken more than five minutes from now. Any
// data can be passed. Restore is safe for concurrent use.
func (t *Transport) Restore(data []byte) error {
	t.once.Do(t.start)
	return t.core.shelf.Open(data, t.Bounds.OrDefaults().MaxReset)
}
