package bench_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A picture shows the timelines of all contenders, one below the other, with the same axes. It has a background, for
// dark pages as well as light ones. Its job has windows that begin with the run.
type picture struct {
	file  string
	job   job
	slice time.Duration
	ticks float64 // seconds
}

func pictures() []picture {
	return []picture{
		{"bench.svg", alone(), 6 * time.Second, 60},
		{"bench-fleet.svg", shared(), 6 * time.Second, 120},
	}
}

const (
	pictureWidth = 760 // points
	stripHeight  = 82
	headHeight   = 52
	footHeight   = 24
)

var (
	paper   = color.RGBA{0xFC, 0xFC, 0xFA, 0xFF}
	ink     = color.RGBA{0x24, 0x29, 0x2F, 0xFF}
	faint   = color.RGBA{0xC8, 0xCC, 0xD0, 0xFF}
	granted = color.RGBA{0x2B, 0x6C, 0xB0, 0xFF}
	turned  = color.RGBA{0xE0, 0x5A, 0x1A, 0xFF} // down
)

// A timeline is the number of requests that arrived in each slice of time, for one contender or several with equal
// timelines.
type timeline struct {
	names            []string
	allowed, refused []int
	took             time.Duration
}

// timelines returns the timelines of the first runs.
func (p picture) timelines(c comparison) []timeline {
	var all []timeline
	for _, r := range c.results {
		a := r.played.Arrivals
		l := timeline{[]string{r.name}, a.Allowed().Slices(epoch, p.slice), a.Refused().Slices(epoch, p.slice), r.played.Took}
		if i := slices.IndexFunc(all, l.like); i >= 0 {
			all[i].names = append(all[i].names, r.name)
			continue
		}
		all = append(all, l)
	}
	return all
}

func (l timeline) like(other timeline) bool {
	return slices.Equal(l.allowed, other.allowed) && slices.Equal(l.refused, other.refused)
}

func (l timeline) caption(slice time.Duration) string {
	most, refused := 0, 0
	for i := range l.slices() {
		most = max(most, at(l.allowed, i)+at(l.refused, i))
		refused += at(l.refused, i)
	}
	return fmt.Sprintf("%s: %d refused, at most %d sent in %v s, finished after %v s",
		strings.Join(l.names, ", "), refused, most, slice.Seconds(), l.took.Round(time.Second/10).Seconds())
}

func (l timeline) slices() int { return max(len(l.allowed), len(l.refused)) }

// at returns the ith count; 0 after the last.
func at(counts []int, i int) int {
	if i < len(counts) {
		return counts[i]
	}
	return 0
}

// draw returns the picture as SVG.
func (p picture) draw(t *testing.T, c comparison) []byte {
	t.Helper()
	all := p.timelines(c)
	longest := 0
	for _, l := range all {
		longest = max(longest, l.slices())
	}
	strips := make([][]*plot.Plot, len(all))
	for i, l := range all {
		strips[i] = []*plot.Plot{p.strip(l, c.policy, longest)}
	}
	height := vg.Length(headHeight + footHeight + stripHeight*len(all))
	return paint(t, c.title(), height, func(canvas draw.Canvas) {
		p.head(canvas, c)
		drawStrips(canvas, strips)
	})
}

// paint returns an SVG with a title and what do draws, on a background of its own.
func paint(t *testing.T, title string, height vg.Length, do func(draw.Canvas)) []byte {
	t.Helper()
	svg := vgsvg.New(pictureWidth, height)
	canvas := draw.New(svg)
	canvas.SetColor(paper)
	canvas.Fill(canvas.Path())
	do(canvas)

	var b, escaped bytes.Buffer
	_, err := svg.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, xml.EscapeText(&escaped, []byte(title)))
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	before, after, found := strings.Cut(text, "<g ")
	require.True(t, found)
	return []byte(before + "<title>" + escaped.String() + "</title>\n<g " + after)
}

// drawStrips draws the strips one below the other, and the unit of time below them.
func drawStrips(canvas draw.Canvas, strips [][]*plot.Plot) {
	body := draw.Crop(canvas, 12, -12, footHeight, -headHeight)
	for i, row := range plot.Align(strips, draw.Tiles{Rows: len(strips), Cols: 1}, body) {
		strips[i][0].Draw(row[0])
	}
	canvas.FillText(lettering(9, ink, draw.XCenter), vg.Point{X: pictureWidth / 2, Y: 8}, "seconds")
}

// head returns the picture's title and legend.
func (p picture) head(canvas draw.Canvas, c comparison) {
	high := canvas.Max.Y
	write := func(size font.Length, x, y vg.Length, what string) {
		canvas.FillText(lettering(size, ink, draw.XLeft), vg.Point{X: x, Y: high - y}, what)
	}
	write(12, 14, 18, c.title())
	write(9, 14, 36, fmt.Sprintf("requests in each %v s:", p.slice.Seconds()))
	box := func(c color.Color, x vg.Length) {
		canvas.SetColor(c)
		canvas.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: high - 36}, Max: vg.Point{X: x + 8, Y: high - 28}}.Path())
	}
	box(granted, 120)
	write(9, 132, 36, "allowed")
	box(turned, 184)
	write(9, 196, 36, "refused (downwards)")
	canvas.StrokeLine2(evenly, 300, high-32, 320, high-32)
	write(9, 326, 36, "what an even client sends")
	box(granted, 450)
	canvas.StrokeLine2(gap, 448, high-30.5, 460, high-30.5)
	write(9, 464, 36, "more than fits here")
	canvas.StrokeLine2(boundary, 566, high-37, 566, high-26)
	write(9, 572, 36, "a window begins")
}

func lettering(size font.Length, c color.Color, align text.XAlignment) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: align, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler,
	}
}
