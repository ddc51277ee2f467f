package bench_test

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headway-go/headway/ratelimittest"
)

// A sketch is an SVG picture of strips with the same time axis, one below the other. It has a background, for dark pages as
// well as light ones.
type sketch struct {
	file, title string
	key         []keyed
	slice       time.Duration // of a bar
	lasts       time.Duration
	ticks       float64 // seconds
	strips      []*strip
}

// A keyed is what a colour or a line means. With both, the line cuts a box of the colour.
type keyed struct{ color, line, means string }

// The sizes of a picture are in points.
const (
	pictureWidth = 760
	stripHeight  = 82
	headHeight   = 52
	footHeight   = 24
	leftOf       = 32 // the time axis
	rightOf      = pictureWidth - 14
)

const (
	ink     = "#24292F"
	paper   = "#FCFCFA"
	faint   = "#C8CCD0"
	granted = "#2B6CB0"
	turned  = "#E05A1A" // down
	others  = "#A8B0B8" // what other clients send
)

// These are the styles of lines.
const (
	evenly   = "stroke:" + ink + ";stroke-width:0.7;stroke-dasharray:3,2"
	boundary = "stroke:" + faint + ";stroke-width:0.7"
	gap      = "stroke:" + paper + ";stroke-width:1.5"
	left     = "stroke:" + granted + ";stroke-width:1.2"
)

var (
	keyAllowed = keyed{color: granted, means: "allowed"}
	keyRefused = keyed{color: turned, means: "refused (downwards)"}
	keyLeft    = keyed{line: left, means: "remaining quota"}
	keyWindow  = keyed{line: boundary, means: "a window begins"}
)

// draw returns the picture as SVG.
func (s *sketch) draw() string {
	height := headHeight + footHeight + stripHeight*len(s.strips)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%dpt" height="%dpt" viewBox="0 0 %[1]d %[2]d" font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="9" fill="%s">`+
		"\n<title>%s</title>\n"+`<rect width="100%%" height="100%%" fill="%s"/>`+"\n", pictureWidth, height, ink, html.EscapeString(s.title), paper)
	fmt.Fprintf(&b, `<text x="14" y="18" font-size="12">%s</text>`+"\n", html.EscapeString(s.title))
	x := 14.0
	write := func(text string, space float64) {
		fmt.Fprintf(&b, `<text x="%.0f" y="36">%s</text>`+"\n", x, html.EscapeString(text))
		x += 4.5*float64(utf8.RuneCountInString(text)) + space // letters are about half as wide as high
	}
	write(fmt.Sprintf("requests in each %v s:", s.slice.Seconds()), 10)
	for _, k := range s.key {
		wide, y := 20.0, 32.0
		if k.color != "" {
			wide, y = 8, 30.5
			fmt.Fprintf(&b, `<rect x="%.0f" y="28" width="8" height="8" fill="%s"/>`, x, k.color)
		}
		if k.line != "" {
			fmt.Fprintf(&b, `<path d="M%.0f,%vh%v" style="%s"/>`, x, y, wide, k.line)
		}
		x += wide + 4
		write(k.means, 18)
	}
	for i, strip := range s.strips {
		fmt.Fprintf(&b, `<g transform="translate(0,%d)">`+"\n%s</g>\n", headHeight+i*stripHeight, strip.text.String())
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">seconds</text>`+"\n</svg>\n", pictureWidth/2, height-8)
	return b.String()
}

// A strip is a plot of requests over time.
type strip struct {
	*sketch
	low, top float64 // requests
	text     strings.Builder
}

// strip adds a strip with a caption, whose values are from low to top, with marks at the axis.
func (s *sketch) strip(caption string, low, top float64, marks ...float64) *strip {
	p := &strip{sketch: s, low: low, top: top}
	s.strips = append(s.strips, p)
	fmt.Fprintf(&p.text, `<text x="%d" y="10">%s</text>`+"\n", leftOf+3, html.EscapeString(caption))
	for _, mark := range marks {
		fmt.Fprintf(&p.text, `<text x="%d" y="%.1f" font-size="8" text-anchor="end">%v</text>`+"\n", leftOf-4, p.y(mark)+3, math.Abs(mark))
	}
	for at := 0.0; at <= s.lasts.Seconds(); at += s.ticks {
		fmt.Fprintf(&p.text, `<text x="%.1f" y="%d" font-size="8" text-anchor="middle">%v</text>`+"\n", p.x(at), stripHeight-1, at)
	}
	p.line(boundary, 0, 0, s.lasts.Seconds(), 0)
	return p
}

// x returns where a time is, in seconds.
func (p *strip) x(at float64) float64 { return leftOf + at/p.lasts.Seconds()*(rightOf-leftOf) }

// y returns where a number of requests is. There is room for the caption above, and for times below.
func (p *strip) y(requests float64) float64 {
	return stripHeight - 12 - (requests-p.low)/(p.top-p.low)*(stripHeight-26)
}

// line draws a line from one time and height to another.
func (p *strip) line(style string, from, height, to, then float64) {
	fmt.Fprintf(&p.text, `<path d="M%.1f,%.1fL%.1f,%.1f" style="%s"/>`+"\n", p.x(from), p.y(height), p.x(to), p.y(then), style)
}

// level draws a line over the whole time.
func (p *strip) level(height float64) { p.line(evenly, 0, height, p.lasts.Seconds(), height) }

// windows draws lines where windows begin.
func (p *strip) windows(every float64) {
	for at := every; at < p.lasts.Seconds(); at += every {
		p.line(boundary, at, p.low, at, p.top)
	}
}

// note writes at a time and a height what is to be seen there.
func (p *strip) note(at, height float64, text string) {
	fmt.Fprintf(&p.text, `<text x="%.1f" y="%.1f">%s</text>`+"\n", p.x(at), p.y(height), html.EscapeString(text))
}

// bars draws a bar for each slice of time. With -1 they point down. A bar above the top is cut.
func (p *strip) bars(color string, all ratelimittest.Arrivals, up float64) {
	p.columns(color, all.Slices(epoch, p.slice), up)
}

func (p *strip) columns(color string, counts []int, up float64) {
	most := p.top
	if up < 0 {
		most = -p.low
	}
	var bars, cuts strings.Builder
	wide := p.x(p.slice.Seconds()) - p.x(0)
	for i, n := range counts {
		at := p.x(float64(i) * p.slice.Seconds())
		if n > 0 {
			fmt.Fprintf(&bars, "M%.1f,%.1fV%.1fh%.1fV%.1fz", at, p.y(0), p.y(up*min(float64(n), most)), wide, p.y(0))
		}
		if float64(n) > most {
			fmt.Fprintf(&cuts, "M%.1f,%.1fh%.1f", at, p.y(up*most*0.85), wide)
		}
	}
	fmt.Fprintf(&p.text, `<path d="%s" fill="%s"/>`+"\n", bars.String(), color)
	if cuts.Len() > 0 {
		fmt.Fprintf(&p.text, `<path d="%s" style="%s"/>`+"\n", cuts.String(), gap)
	}
}

// even is what an even client sends in a slice.
func (s *sketch) even(p ratelimittest.Policy, parts float64) float64 {
	return float64(p.Quota) * s.slice.Seconds() / p.Window.Seconds() / parts
}
