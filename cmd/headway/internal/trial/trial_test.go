package trial_test

import (
	"flag"
	"os"
	"testing"
)

var (
	write   = flag.Bool("write", false, "write the measured tables into docs/proxy.md, between its marks")
	latency = flag.Bool("latency", false, "run TestLatency, some minutes; nothing else should use the machine")
)

// required is the variable of the environment that makes a test fail for want of a tool.
const required = "HEADWAY_CLIENTS"

// The test's program is also the server and the proxy of TestLatency, each in a process of its own.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play(role)
		return
	}
	os.Exit(m.Run())
}
