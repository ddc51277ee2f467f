package fleet

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// someClaims returns claims of random members.
func someClaims(r *rand.Rand, total float64) []claim {
	claims := make([]claim, 1+r.IntN(40))
	for i := range claims {
		switch r.IntN(4) {
		case 0: // needs everything
			claims[i].most = total
		case 1: // needs nothing
		case 2:
			claims[i].most = r.Float64() * total * 2 / float64(len(claims))
		default: // has used something
			claims[i].least = math.Floor(r.Float64() * total * 1.5 / float64(len(claims)))
			claims[i].most = claims[i].least * (0.5 + r.Float64())
		}
	}
	return claims
}

// Everything is divided. No claim gets more than its most while
// another lacks something. A claim that lacks something gets no less than any other gets beyond its least.
func TestPartsAreMaxMinFair(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		total := math.Floor(math.Exp(r.Float64() * 20))
		claims := someClaims(r, total)
		parts := fill(claims, total)
		var sum, least, most float64
		for i, c := range claims {
			sum, least, most = sum+parts[i], least+c.least, most+max(c.least, c.most)
		}
		slack := 1e-9 * total
		require.InDelta(t, max(total, least), sum, slack, "seed %d", seed)
		for i, c := range claims {
			require.GreaterOrEqual(t, parts[i], c.least, "seed %d", seed)
			if most > total {
				require.LessOrEqual(t, parts[i], max(c.least, c.most)+slack, "seed %d: above its claim, with others below theirs", seed)
			} else {
				require.GreaterOrEqual(t, parts[i], c.most-slack, "seed %d: below its claim, though there is enough", seed)
				require.InDelta(t, (total-most)/float64(len(claims)), parts[i]-max(c.least, c.most), slack, "seed %d: spare", seed)
			}
			for j := range parts {
				if parts[i] < c.most-slack && parts[j] > claims[j].least+slack && parts[j] > parts[i]+slack {
					require.Fail(t, "not fair", "seed %d: %d has less than %d, and lacks more", seed, i, j)
				}
			}
		}
	}
}
