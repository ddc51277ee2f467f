package termheadway_test

import (
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/termheadway"
)

// The program shows its waits on stderr, if that is a terminal, and keeps its log above the line.
func Example() {
	transport := &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK))} // in production Base is nil
	line := termheadway.Show(os.Stderr, transport)                               // before the first request
	defer func() { _ = line.Close() }()
	log.SetOutput(line)

	client := &http.Client{Transport: transport}
	resp, err := client.Get("https://api.example.com/things")
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(resp.StatusCode, resp.Body.Close())
	// Output: 200 <nil>
}
