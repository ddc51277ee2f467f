package files

import (
	"errors"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// checkFileSystem returns an error for network file systems, which machines share that have clocks of their own.
func checkFileSystem(dir string) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return err
	}
	switch uint32(s.Type) { //nolint:gosec // magic numbers have 32 bits
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CEPH_SUPER_MAGIC:
		return errors.New("on a network file system")
	}
	return nil
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
