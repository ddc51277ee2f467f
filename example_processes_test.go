package headway_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway"
)

// A command runs for seconds, and often. How does it know what its last run has used up?
// Keep the snapshot in a file.
func ExampleTransport_Snapshot() {
	api := server()
	var file []byte
	for run := range 3 {
		transport := &headway.Transport{
			Base:        api,
			MaxWait:     time.Minute,
			SnapshotKey: []byte("a secret of 16 bytes or more"),
		}
		if run > 0 {
			if err := transport.Restore(file); err != nil {
				fmt.Println(err) // no reason to stop
			}
		}
		client := &http.Client{Transport: transport}
		fmt.Println(statusOf(client.Get(things)), "and", statusOf(client.Get(things)))
		file, _ = transport.Snapshot()
	}
	// Output:
	// 200 OK and 200 OK
	// not sent and not sent
	// not sent and not sent
}
