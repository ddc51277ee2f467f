package proxy

import (
	"math"
	"runtime/debug"
)

// memory is the memory that the proxy may take where GOMEMLIMIT does not say it, in bytes.
const memory = 512 << 20

// limitMemory makes the garbage collector keep to GOMEMLIMIT, or to memory.
func limitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memory)
	}
}

// mostContent bounds the content of requests that is kept: half of the memory. Beyond it content is not kept, so that such
// requests are not sent again. The other half is for connections, and for what the garbage collector has not found.
func mostContent() int64 { return debug.SetMemoryLimit(-1) / 2 }
