package files

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fileSystem returns the magic number of a folder's file system.
func fileSystem(dir string) (uint32, error) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return uint32(s.Type), err //nolint:gosec // magic numbers have 32 bits
}

// isNetwork reports whether machines share such a file system, which have clocks of their own.
func isNetwork(magic uint32) bool {
	switch magic {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CEPH_SUPER_MAGIC:
		return true
	}
	return false
}

// machineClock returns a clock that all processes of this machine share and nobody sets: the milliseconds since the machine
// started, also those in which it was suspended. started names the start.
func machineClock() (now func() int64, started string) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return wallClock, ""
	}
	return func() int64 {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // Linux has it since 2.6.39
		return t.Nano() / int64(time.Millisecond)
	}, strings.TrimSpace(string(id))
}
