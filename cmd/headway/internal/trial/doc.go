// Package trial has tests only. TestClients tries the program headway proxy as its users do, with clients that nobody here
// wrote, on a server that limits: do they get all that they ask for, once they go through the proxy?
//
// With -write it writes its table into docs/figures/proxy.md.
package trial
