package bench_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A picture is an XML document with a strip for each contender, or for several with equal timelines. It is small enough
// for a repository.
func TestPicture(t *testing.T) {
	const largest = 80 << 10
	p := pictures()[0]
	c := comparison{job: p.job}
	for i, contender := range p.job.contenders {
		c.results = append(c.results, result{contender: contender, played: scattered(i + 1)})
	}
	alike := c.results[1]
	alike.name = "one more"
	c.results = append(c.results, alike)
	svg := p.draw(t, c)
	require.Less(t, len(svg), largest)
	require.Contains(t, svg, "fill:#FCFCFA")
	require.Contains(t, svg, "<title>"+p.job.title()+"</title>")
	for i, contender := range p.job.contenders {
		n := i + 1
		names := contender.name
		if i == 1 {
			names += ", " + alike.name
		}
		require.Contains(t, svg, fmt.Sprintf(">%s: %d refused, at most %d sent in 6 s, finished after 600 s<", names, 34*n, 2*n))
	}
	strips := len(p.job.contenders)
	require.Equal(t, strips+2, strings.Count(svg, "fill:#2B6CB0"), "allowed, and twice in the key")
	require.Equal(t, strips+1, strings.Count(svg, "fill:#E05A1A"), "refused, and in the key")
	require.Equal(t, strips+1, strings.Count(svg, "stroke-dasharray"), "even, and in the key")
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// scattered returns a run with so many allowed and as many refused requests in every third slice. Its outline is long.
func scattered(n int) ratelimittest.Figures {
	f := ratelimittest.Figures{Took: 10 * time.Minute}
	for i := range 34 {
		at := epoch.Add(time.Duration(i) * 18 * time.Second)
		for range n {
			f.Arrivals = append(f.Arrivals, ratelimittest.Arrival{Time: at}, ratelimittest.Arrival{Time: at, Allowed: true})
		}
	}
	return f
}

// Bars above the top are cut. Adjacent cut bars have one mark.
func TestCuts(t *testing.T) {
	even := []int{6, 18, 6}
	high := []int{6, 19, 190, 6, 20}
	marks := func(allowed, refused []int) int {
		s := sketch{slice: 6 * time.Second, lasts: time.Minute, ticks: 60}
		s.timeline(timeline{allowed: allowed, refused: refused}, perMinute)
		found := 0
		for _, path := range regexp.MustCompile(`<path d="([^"]*)" style="fill:none;stroke:#FCFCFA`).FindAllStringSubmatch(s.draw(t), -1) {
			found += strings.Count(path[1], "M")
		}
		return found
	}
	require.Zero(t, marks(even, even))
	require.Equal(t, 2, marks(high, even))
	require.Equal(t, 2, marks(even, high))
}

func TestTwoDigits(t *testing.T) {
	for x, want := range map[float64]int{0: 0, 0.4: 0, 1.2: 1, 9.6: 10, 14.6: 15, 96.4: 96, 123: 120, 995: 1000, 1250: 1300} {
		require.Equal(t, want, twoDigits(x), "%v", x)
	}
}
