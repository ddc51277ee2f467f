package bench_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A picture is an XML document with a strip for each contender, small enough for a
// repository, and with the background of all.
func TestPicture(t *testing.T) {
	const largest = 60 << 10
	p := pictures()[0]
	c := comparison{job: p.job}
	for _, contender := range p.job.contenders {
		c.results = append(c.results, result{contender: contender, played: scattered()})
	}
	svg := p.draw(t, c)
	require.Less(t, len(svg), largest)
	require.Contains(t, string(svg), "fill:#FCFCFA")
	for _, r := range c.results {
		require.Contains(t, string(svg), ">"+r.name+": 50 refused, finished after 10m0s<")
	}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// scattered is a run in which every third slice has something, which makes a long
// outline.
func scattered() ratelimittest.Figures {
	f := ratelimittest.Figures{Refused: 50, Took: 10 * time.Minute}
	for i := range 34 {
		at := epoch.Add(time.Duration(i) * 18 * time.Second)
		f.Arrivals = append(f.Arrivals, ratelimittest.Arrival{Time: at}, ratelimittest.Arrival{Time: at, Allowed: true})
	}
	return f
}

func TestTwoDigits(t *testing.T) {
	for x, want := range map[float64]int{0: 0, 0.4: 0, 1.2: 1, 9.6: 10, 14.6: 15, 96.4: 96, 123: 120, 995: 1000, 1250: 1300} {
		require.Equal(t, want, twoDigits(x), "%v", x)
	}
}
