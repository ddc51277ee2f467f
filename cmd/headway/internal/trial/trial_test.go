// Package trial_test has TestClients, which tries the program headway proxy as its users do, with clients that nobody here
// wrote, on a server that limits: do they get all that they ask for, once they go through the proxy?
//
// With -write it writes its table into docs/figures/proxy.md.
package trial_test

import (
	"flag"
)

var write = flag.Bool("write", false, "write the measured table into docs/figures/proxy.md, between its marks")

// required is the variable of the environment that makes a test fail for want of a tool.
const required = "HEADWAY_CLIENTS"
