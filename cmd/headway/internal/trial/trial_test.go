package trial_test

import (
	"flag"
)

var write = flag.Bool("write", false, "write the measured table into docs/figures/proxy.md, between its marks")

// required is the variable of the environment that makes a test fail for want of a tool.
const required = "HEADWAY_CLIENTS"
