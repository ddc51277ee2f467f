package headway_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// The servers of the examples are in memory. They really limit, and tell it in the fields
// of a dialect. Their windows are long, so that no example has to wait for what it shows.

const things = "https://api.example.com/things"

// server returns an API that allows three requests per hour.
func server() http.RoundTripper {
	return limited(ratelimittest.NewFixedWindow(3, time.Hour))
}

// limited returns an API that limits so.
func limited(by ratelimittest.Limiter) http.RoundTripper {
	return &ratelimittest.Transport{Handler: ratelimittest.NewHandler(by, ratelimittest.Draft10)}
}

// printing returns an API that limits so, and prints the paths of the requests it allows.
func printing(by ratelimittest.Limiter) http.RoundTripper {
	handler := ratelimittest.NewHandler(by, ratelimittest.Draft10)
	handler.Next = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Println(req.URL.Path)
		_, _ = io.WriteString(w, "an answer")
	})
	return &ratelimittest.Transport{Handler: handler}
}

// failing returns an API that answers everything with that.
func failing(status int, body string) http.RoundTripper {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, body, status)
	})}
}

// answering returns an API that answers everything with these header fields; those
// without a value are left out.
func answering(namesAndValues ...string) http.RoundTripper {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), namesAndValues)
	})}
}

// throttling returns an API that refuses everything, with these header fields.
func throttling(namesAndValues ...string) http.RoundTripper {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), namesAndValues)
		w.WriteHeader(http.StatusTooManyRequests)
	})}
}

func setFields(header http.Header, namesAndValues []string) {
	for i := 0; i < len(namesAndValues); i += 2 {
		if value := namesAndValues[i+1]; value != "" {
			header.Set(namesAndValues[i], value)
		}
	}
}

// throttlingFirst returns an API that refuses the first request that it gets, and prints
// what is posted to it.
func throttlingFirst() http.RoundTripper {
	requests := 0
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		fmt.Printf("server got %q\n", text)
		if requests++; requests == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})}
}

// statusOf closes the body of what a client returned, and says what it was.
func statusOf(resp *http.Response, err error) string {
	if _, ok := errors.AsType[*headway.LimitError](err); ok {
		return "not sent"
	}
	if err != nil {
		return err.Error()
	}
	_ = resp.Body.Close()
	return resp.Status
}
