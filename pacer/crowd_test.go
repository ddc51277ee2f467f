package pacer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A server that refuses each of more limits than a partition stores gets about one request for each of these, not one for
// each limit that was forgotten meanwhile.
func TestHoldsOfMoreLimitsThanStored(t *testing.T) {
	d := drive(t, pacer.Config{})
	says := func(i int, left int64) pacer.Answer {
		return several(named(fmt.Sprint("policy", i), 100, minute, left, minute))
	}
	for i := range 50 {
		d.advance(second)
		d.getVia(uint8(1+i), says(i, 90))
	}
	n := 0
	for range 200 {
		for i := range 50 {
			if d.waitAs(via(uint8(1+i))) == 0 {
				n++
				d.getVia(uint8(1+i), refuses(says(i, 0), minute))
			}
		}
		d.advance(minute / 240)
	}
	require.LessOrEqual(t, n, 50)
}

// A refusal that reports another key's quota as used up is about the request all the same.
func TestRefusalReportsAnotherKey(t *testing.T) {
	d := drive(t, pacer.Config{})
	says := func(key string, left int64) pacer.Answer {
		l := named("user", 100, minute, left, minute)
		l.PartitionKey = key
		return several(l)
	}
	for _, key := range []string{"ann", "bob"} {
		d.get(says(key, 50))
		d.advance(minute)
	}
	d.get(refuses(says("eve", 0), 10*second))
	require.Greater(t, d.wait(), 9*second)
}

// A refusal that reports a used-up limit which the request is not charged for holds it all the same.
func TestRefusalReportsAnotherUnit(t *testing.T) {
	for name, cost := range map[string]pacer.Cost{
		"a free request": {Others: &[pacer.MaxOthers]int64{1, unknown, unknown}},
		"no tokens":      {Requests: 1, Others: &[pacer.MaxOthers]int64{0, unknown, unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, pacer.Config{})
			says := func(requests, tokens int64) pacer.Answer {
				a, b := named("requests", 100, minute, requests, minute), named("tokens", 1000, minute, tokens, minute)
				b.Unit = "tokens"
				return several(a, b)
			}
			d.get(says(90, 900))
			d.advance(second)
			d.get(says(90, 900))
			n := 0
			for end := d.now.Add(20 * second); d.now < end; d.advance(second / 20) {
				if d.waitAs(cost) == 0 {
					n++
					a := refuses(says(0, 900), 10*second)
					if cost.Requests > 0 {
						a = refuses(says(90, 0), 10*second)
					}
					d.getAs(cost, a)
				}
			}
			require.Less(t, n, 5)
		})
	}
}
