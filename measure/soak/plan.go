package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"time"
)

// A fault is what the server does instead of processing a request for the first time.
type fault string

const (
	noFault     fault = ""
	dropBefore  fault = "dropped, not processed"
	dropAfter   fault = "dropped, processed"
	cutBody     fault = "cut in mid-response"
	slowBody    fault = "slow body"
	slowHeader  fault = "slow header"
	unavailable fault = "503, Retry-After"
)

// A plan decides what happens to one request. It follows from the seed and the request's number, so the server
// can find it.
type plan struct {
	id         uint64
	method     string
	size       int  // of the request's body in bytes
	chunked    bool // the request does not announce its length
	replayable bool // the request has no body, or has GetBody
	key        bool // the request has an Idempotency-Key
	answer     int  // the size of the response's body
	fault      fault
	deadline   time.Duration // 0: none
	cancel     time.Duration // when the request is cancelled; 0: never
	leave      bool          // the response's body is closed unread
}

func planOf(seed, id uint64) plan {
	rng := rand.New(rand.NewPCG(seed, id))
	p := plan{id: id, replayable: true, answer: 200 + rng.IntN(16<<10)}
	p.drawMethod(rng)
	p.fault = drawFault(rng.IntN(1000))
	p.drawEnd(rng)
	return p
}

func (p *plan) drawMethod(rng *rand.Rand) {
	switch n := rng.IntN(100); {
	case n < 45:
		p.method = http.MethodGet
	case n < 50:
		p.method = http.MethodHead
	case n < 60:
		p.method = http.MethodPut
	default:
		p.method = http.MethodPost
		p.replayable = n < 90
		p.key = n >= 80 && n < 95
	}
	if p.method == http.MethodPut || p.method == http.MethodPost {
		p.size = 1 + rng.IntN(8<<10)
		p.chunked = rng.IntN(4) == 0
	}
}

// drawFault returns the fault of n of 1000 requests.
func drawFault(n int) fault {
	switch {
	case n < 20:
		return dropBefore
	case n < 40:
		return dropAfter
	case n < 70:
		return cutBody
	case n < 110:
		return slowBody
	case n < 140:
		return slowHeader
	case n < 142:
		return unavailable // its Retry-After holds all requests for a second
	}
	return noFault
}

func (p *plan) drawEnd(rng *rand.Rand) {
	switch n := rng.IntN(100); {
	case n < 15:
		p.deadline = time.Duration(20+rng.IntN(500)) * time.Millisecond
	case n < 25:
		p.cancel = time.Duration(1+rng.IntN(300)) * time.Millisecond
	case n < 28:
		p.leave = true
	}
}

// idempotent reports whether net/http considers the request idempotent.
func (p *plan) idempotent() bool { return p.method != http.MethodPost || p.key }

// patient reports whether the request has neither a deadline nor a cancellation.
func (p *plan) patient() bool { return p.deadline == 0 && p.cancel == 0 }

// content returns the content of a request's body or its response's. It is different for each request.
func (p *plan) content(size int) []byte {
	word := binary.BigEndian.AppendUint64(nil, p.id)
	return bytes.Repeat(word, size/len(word)+1)[:size]
}
