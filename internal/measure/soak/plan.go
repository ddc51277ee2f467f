package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"time"
)

// A fault is what the server does to a request when it first comes to be processed.
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

// A plan is what is to happen to one request. It follows from the seed and the request's
// number, so that the server need not be told.
type plan struct {
	id         uint64
	method     string
	size       int  // of the request's body in bytes
	chunked    bool // its length is not told
	replayable bool // it has no body, or GetBody
	key        bool // it has an Idempotency-Key
	answer     int  // the size of the response's body
	fault      fault
	deadline   time.Duration // 0: none
	cancel     time.Duration // when it is cancelled; 0: never
	leave      bool          // the response's body is closed unread
}

func planOf(seed, id uint64) plan {
	rng := rand.New(rand.NewPCG(seed, id))
	p := plan{id: id, replayable: true, answer: 200 + rng.IntN(16<<10)}
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
	switch n := rng.IntN(1000); {
	case n < 20:
		p.fault = dropBefore
	case n < 40:
		p.fault = dropAfter
	case n < 70:
		p.fault = cutBody
	case n < 110:
		p.fault = slowBody
	case n < 140:
		p.fault = slowHeader
	case n < 142:
		p.fault = unavailable // it holds all others for a second
	}
	switch n := rng.IntN(100); {
	case n < 15:
		p.deadline = time.Duration(20+rng.IntN(500)) * time.Millisecond
	case n < 25:
		p.cancel = time.Duration(1+rng.IntN(300)) * time.Millisecond
	case n < 28:
		p.leave = true
	}
	return p
}

// idempotent reports whether it does no harm to process it twice, as net/http sees it.
func (p *plan) idempotent() bool { return p.method != http.MethodPost || p.key }

// patient reports whether it waits for as long as its Transport does.
func (p *plan) patient() bool { return p.deadline == 0 && p.cancel == 0 }

// content is what the bodies of a request and its response consist of, which are of no
// use to any other.
func (p *plan) content(size int) []byte {
	word := binary.BigEndian.AppendUint64(nil, p.id)
	return bytes.Repeat(word, size/len(word)+1)[:size]
}
