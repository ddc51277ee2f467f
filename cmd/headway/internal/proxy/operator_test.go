package proxy

import (
	"testing"

	"github.com/headway-go/headway/internal/test/kit"
)

// TestOperatorsTable ties each row of docs/proxy.md that says what happens when something goes wrong to the tests that hold it.
func TestOperatorsTable(t *testing.T) {
	tests := map[string][]string{
		"the upstream is down, or there is no way to it": {"TestUnreachableUpstream"},
		"DNS fails": {"TestUnreachableUpstream"},
		"TLS fails: an unknown certificate, an old version, no TLS":           {"TestTLSThatFails"},
		"the upstream breaks off, or sends no HTTP":                           {"TestUpstreamThatFails"},
		"the upstream's address is the proxy's own":                           {"TestUpstreamIsTheProxyItself"},
		"the port is in use":                                                  {"TestPortInUse"},
		"the snapshot is corrupt":                                             {"TestSnapshotThatCannotBeUsed"},
		"the snapshot cannot be written":                                      {"TestSnapshotWithoutPlace"},
		"the configuration has an unknown key":                                {"TestMistakes", "TestProxyMistakes"},
		"the file of a key or of tokens is missing or too short":              {"TestSnapshotWithoutPlace", "TestFleet", "TestTokenFileThatCannotBeUsed"},
		"SIGTERM while 100 requests wait":                                     {"TestStopWhileHundredWait", "TestSignals"},
		"a client is slow to send or to read":                                 {"TestSlowClients", "TestClientThatDoesNotRead"},
		"5,000 connections are idle":                                          {"TestIdleConnectionsMakeRoom"},
		"more requests at once than `max-connections`":                        {"TestBusyConnectionsKeepTheirPlace"},
		"a request in absolute form, or CONNECT":                              {"TestNoForwardProxy"},
		"Content-Length and Transfer-Encoding in one request, or in disguise": {"TestSmuggling"},
		"fields that Connection names, and other hop-by-hop fields":           {"TestHopByHopFields"},
		"a name that was rebound to loopback, or is not in `hosts`":           {"TestForeignRequests", "TestHosts"},
		"a page of another site asks":                                         {"TestForeignRequests", "TestHosts"},
		"no token, or a wrong one":                                            {"TestToken"},
		"the fleet's store is lost":                                           {"TestFleetWithoutStore", "TestLinesOfAFleet"},
	}
	kit.RequireRowsTested(t, "../../../../docs/proxy.md", tests, ".", "../..")
}
