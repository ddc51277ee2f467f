package validate_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A world is a server with fixed windows that share one name, and the responses that a client receives from it.
type world struct {
	windows int
	length  float64 // of a window, in seconds
	scale   float64 // of the numbers sent: 1 for seconds, 1000 for milliseconds
	rate    float64 // of requests per second
	late    float64 // by how many seconds a response is received late, on average
}

// A sent is a response of a world.
type sent struct {
	at        time.Duration
	remaining int
	reset     string
}

const worldQuota = 1000

// responses returns n responses in the order of their receipt.
func (w world) responses(random *rand.Rand, n int) (all []sent) {
	ends, left := make([]float64, w.windows), make([]float64, w.windows)
	for i := range ends {
		ends[i], left[i] = random.Float64()*w.length, worldQuota*random.Float64()
	}
	now := 0.0
	for range n {
		now += random.ExpFloat64() / w.rate
		i := random.IntN(w.windows)
		if now >= ends[i] {
			ends[i] += w.length * (1 + math.Floor((now-ends[i])/w.length))
			left[i] = worldQuota
		}
		left[i] = max(left[i]-1, 0)
		at := time.Duration((now + random.ExpFloat64()*w.late) * float64(time.Second))
		all = append(all, sent{at, int(left[i]), fmt.Sprint(int64(math.Ceil((ends[i] - now) * w.scale)))})
	}
	slices.SortFunc(all, func(a, b sent) int { return cmp.Compare(a.at, b.at) })
	return all
}

// inMillis returns which part of the responses is read as milliseconds.
func (w world) inMillis(t *testing.T) float64 {
	t.Helper()
	const runs, each = 4, 300
	random, found := rand.New(rand.NewPCG(1, 2)), 0
	for range runs {
		var now time.Duration
		reader := validate.NewReader(validate.Bounds{}, func() time.Time { return received.Add(now) })
		for _, x := range w.responses(random, each) {
			now = x.at
			m := msg(200, fmt.Sprint("X-RateLimit-Limit: ", worldQuota), fmt.Sprint("X-RateLimit-Remaining: ", x.remaining), "X-RateLimit-Reset: "+x.reset)
			m.url = "https://api.example.com/things"
			reading := reader.Read(m.response())
			require.Len(t, reading.Limits, 1)
			number, err := time.ParseDuration(x.reset + "ms")
			require.NoError(t, err)
			if reading.Limits[0].Reset == number && number > 0 {
				found++
			}
			reader.Free(reading)
		}
	}
	return float64(found) / (runs * each)
}

// TestUnitOfManyWindows checks that the windows of several users or paths of one host are not taken for one window in
// milliseconds, and that one window in milliseconds is found although responses are late.
func TestUnitOfManyWindows(t *testing.T) {
	for _, rate := range []float64{0.1, 1, 20} {
		for _, windows := range []int{1, 2, 3, 10} {
			for _, length := range []float64{300, 900, 3600, 86400} {
				w := world{windows, length, 1, rate, 0.1}
				require.LessOrEqual(t, w.inMillis(t), 0.07, "%+v", w)
			}
		}
		for _, length := range []float64{10, 60} {
			for _, late := range []float64{0, 0.1, 0.5} {
				w := world{1, length, 1000, rate, late}
				require.GreaterOrEqual(t, w.inMillis(t), 0.85, "%+v", w)
			}
		}
	}
	w := world{1, 1, 1000, 5, 0.02}
	require.GreaterOrEqual(t, w.inMillis(t), 0.85, "%+v", w)
}
