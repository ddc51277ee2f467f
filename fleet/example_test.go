package fleet_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/ratelimittest"
)

// Each process makes a Fleet in the same folder, and sets it in its Transport.
func ExampleLocal() {
	dir := filepath.Join(os.TempDir(), "headway-example") // in production: fleet.UserDir("api.example.com")
	defer func() { _ = os.RemoveAll(dir) }()
	f, err := fleet.Local(dir, fleet.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }() // gives this process's part to the others

	server := &ratelimittest.Transport{Handler: &ratelimittest.Handler{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, Dialect: ratelimittest.Draft10,
	}}
	api := &http.Client{Transport: &headway.Transport{Base: server, Fleet: f}} // in production Base is nil
	resp, err := api.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}
