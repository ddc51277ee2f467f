package snapshot

import "errors"

// The errors of Seal and Open, which may be wrapped. Package headway exports and documents them.
var (
	ErrKey     = errors.New("headway: a snapshot needs a SnapshotKey of at least 16 bytes")
	ErrForeign = errors.New("headway: this is no snapshot made with the same SnapshotKey")
	ErrVersion = errors.New("headway: the snapshot has the format of another version")
	ErrDamaged = errors.New("headway: the snapshot is damaged")
	ErrExpired = errors.New("headway: the snapshot is more than a day old")
	ErrFuture  = errors.New("headway: the snapshot is from the future")
)
