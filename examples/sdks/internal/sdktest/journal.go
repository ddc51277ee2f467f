package sdktest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"
)

// A Journal is a handler that records requests, and passes them on to Next. It is safe for concurrent use. Its
// other fields must not be read during a request.
type Journal struct {
	Next http.Handler

	mu      sync.Mutex
	Times   []time.Time
	Headers []http.Header
	Bodies  []string
}

// ServeHTTP implements [http.Handler]. A body that cannot be read is recorded as the error.
func (j *Journal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		body = []byte("not read: " + err.Error())
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	j.mu.Lock()
	j.Times, j.Headers, j.Bodies = append(j.Times, time.Now()), append(j.Headers, r.Header), append(j.Bodies, string(body))
	j.mu.Unlock()
	j.Next.ServeHTTP(w, r)
}
