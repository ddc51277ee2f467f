package headway

import "github.com/headway-go/headway/internal/snapshot"

// The errors of [Transport.Snapshot] and [Transport.Restore]. They may be wrapped, so find them with [errors.Is].
var (
	// ErrSnapshotKey means that SnapshotKey is not set or has fewer than 16 bytes.
	ErrSnapshotKey = snapshot.ErrKey
	// ErrSnapshotForeign means that the data was made with another SnapshotKey, or is no snapshot.
	ErrSnapshotForeign = snapshot.ErrForeign
	// ErrSnapshotVersion means that a version of headway with another format made the snapshot.
	ErrSnapshotVersion = snapshot.ErrVersion
	// ErrSnapshotDamaged means that the snapshot was cut off or changed.
	ErrSnapshotDamaged = snapshot.ErrDamaged
	// ErrSnapshotExpired means that the snapshot is more than a day old.
	ErrSnapshotExpired = snapshot.ErrExpired
	// ErrSnapshotFuture means that the snapshot is dated more than five minutes after now.
	ErrSnapshotFuture = snapshot.ErrFuture
)

// Snapshot returns what the Transport has learned, for [Transport.Restore] in a later run of the program: limits, remaining
// quotas, holds and paces. A program that lives for seconds can then begin where its last run stopped. Which limits apply
// to which routes is not included.
//
// The data is sealed with SnapshotKey and can be stored in a file. Restore refuses a file that was written only in part. The
// data holds no credentials and no part of any URL: only the same SnapshotKey can make the names of its partitions. Names
// that servers gave to policies, partition keys and quota units are readable in it.
//
// What was restored and not used yet is included, for up to a day, so that runs that use different servers keep each
// other's knowledge. Beyond 16 MiB the partitions used longest ago are left out.
//
// Requests in flight count as sent. Snapshot is safe for concurrent use and delays no request. Each partition is read at a
// slightly different moment.
//
// Errors: ErrSnapshotKey.
func (t *Transport) Snapshot() ([]byte, error) {
	t.once.Do(t.start)
	return t.core.shelf.Seal()
}

// Restore takes over a snapshot of this program, or of another one with the same SnapshotKey. Call it before the first
// request. Partitions that requests have already used keep what they know, which is newer. What is restored for others
// waits for their first request. A second Restore replaces what is still waiting.
//
// The time between Snapshot and Restore counts, by the machine's clock: windows have ended, and short holds too. No reset or
// hold is longer than Bounds.MaxReset.
//
// After an error nothing has changed, and the Transport works as if Restore had not been called. Any data is safe to pass.
// Restore is safe for concurrent use.
//
// Errors: ErrSnapshotKey, ErrSnapshotForeign, ErrSnapshotVersion, ErrSnapshotDamaged, ErrSnapshotExpired,
// ErrSnapshotFuture.
func (t *Transport) Restore(data []byte) error {
	t.once.Do(t.start)
	return t.core.shelf.Open(data, t.Bounds.OrDefaults().MaxReset)
}
