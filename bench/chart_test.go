package bench_test

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
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

// A picture has a timeline of each contender, one below the other, with the same axes.
// It has a background of its own, for pages that are dark as for those that are light.
type picture struct {
	file  string
	job   job
	slice time.Duration
	ticks float64 // seconds
}

func pictures() []picture {
	return []picture{
		{"bench.svg", jobs()[0], 6 * time.Second, 60},
		{"bench-crowd.svg", crowded(), 100 * time.Millisecond, 2},
	}
}

const (
	pictureWidth  = 760 // points
	stripHeight   = 66
	headHeight    = 46
	footHeight    = 22
	captionHeight = 0.3 // of top
)

var (
	paper   = color.RGBA{0xFC, 0xFC, 0xFA, 0xFF}
	ink     = color.RGBA{0x24, 0x29, 0x2F, 0xFF}
	faint   = color.RGBA{0xC8, 0xCC, 0xD0, 0xFF}
	granted = color.RGBA{0x2B, 0x6C, 0xB0, 0xFF}
	turned  = color.RGBA{0xE0, 0x5A, 0x1A, 0xFF} // down
)

// A timeline is what a contender sent in each slice of time.
type timeline struct {
	caption          string
	allowed, refused []int
}

// timelines are those of the first runs.
func (p picture) timelines(c comparison) []timeline {
	var all []timeline
	for _, r := range c.results {
		a := r.played.Arrivals
		all = append(all, timeline{
			caption: fmt.Sprintf("%s: %d refused, finished after %v", r.name, r.played.Refused, r.played.Took.Round(100*time.Millisecond)),
			allowed: a.Allowed().Slices(epoch, p.slice),
			refused: a.Refused().Slices(epoch, p.slice),
		})
	}
	return all
}

// top is a round number above the highest bar, so that it stays the same from run to run.
func top(all []timeline) float64 {
	highest := 1
	for _, l := range all {
		for i := range max(len(l.allowed), len(l.refused)) {
			highest = max(highest, at(l.allowed, i)+at(l.refused, i))
		}
	}
	return float64((highest + 49) / 50 * 50)
}

// at is the ith count, 0 after the last.
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
		longest = max(longest, len(l.allowed), len(l.refused))
	}
	strips := make([][]*plot.Plot, len(all))
	for i, l := range all {
		strips[i] = []*plot.Plot{p.strip(l, c, float64(longest), top(all))}
	}
	height := vg.Length(headHeight + footHeight + stripHeight*len(all))
	svg := vgsvg.New(pictureWidth, height)
	canvas := draw.New(svg)
	canvas.SetColor(paper)
	canvas.Fill(canvas.Path())
	p.head(canvas, c)
	body := draw.Crop(canvas, 12, -12, footHeight, -headHeight)
	for i, row := range plot.Align(strips, draw.Tiles{Rows: len(all), Cols: 1}, body) {
		strips[i][0].Draw(row[0])
	}
	canvas.FillText(lettering(9, ink, draw.XCenter), vg.Point{X: pictureWidth / 2, Y: 8}, "seconds")

	var b bytes.Buffer
	_, err := svg.WriteTo(&b)
	require.NoError(t, err)
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}

// head says what is to be seen.
func (p picture) head(canvas draw.Canvas, c comparison) {
	high := canvas.Max.Y
	canvas.FillText(lettering(12, ink, draw.XLeft), vg.Point{X: 14, Y: high - 18}, c.title())
	canvas.FillText(lettering(9, ink, draw.XLeft), vg.Point{X: 14, Y: high - 34}, fmt.Sprintf("requests that arrived in each %v s:", p.slice.Seconds()))
	for i, key := range []struct {
		color color.Color
		text  string
	}{{granted, "allowed"}, {turned, "refused"}, {faint, "what an even client sends"}} {
		x := vg.Length(180 + 70*i)
		canvas.SetColor(key.color)
		canvas.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: high - 34}, Max: vg.Point{X: x + 8, Y: high - 26}}.Path())
		canvas.FillText(lettering(9, ink, draw.XLeft), vg.Point{X: x + 12, Y: high - 34}, key.text)
	}
}

// strip is the plot of one contender.
func (p picture) strip(l timeline, c comparison, longest, top float64) *plot.Plot {
	s := plot.New()
	s.BackgroundColor = nil
	s.X.Min, s.X.Max = 0, longest*p.slice.Seconds()
	s.Y.Min, s.Y.Max = 0, top*(1+captionHeight)
	s.X.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return every(p.ticks, low, high) })
	s.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: top, Label: strconv.Itoa(int(top))}}
	for _, axis := range []*plot.Axis{&s.X, &s.Y} {
		axis.Tick.Label = lettering(8, ink, axis.Tick.Label.XAlign)
		axis.Color, axis.Tick.Color = faint, faint
		axis.Tick.Length = 3
		axis.Padding = 0
	}
	s.X.Tick.Label.YAlign, s.Y.Tick.Label.YAlign = draw.YTop, draw.YCenter
	share := float64(c.policy.Quota) * p.slice.Seconds() / c.policy.Window.Seconds()
	s.Add(
		level(share),
		p.bars(granted, nil, l.allowed),
		p.bars(turned, l.allowed, l.refused),
		plotter(func(canvas draw.Canvas, _ *plot.Plot) {
			canvas.FillText(lettering(9, ink, draw.XLeft), vg.Point{X: canvas.Min.X + 6, Y: canvas.Max.Y - 9}, l.caption)
		}),
	)
	return s
}

// every is a tick every so often.
func every(step, low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for value := low; value <= high; value += step {
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.Itoa(int(value))})
	}
	return ticks
}

// A plotter draws a part of a plot.
type plotter func(draw.Canvas, *plot.Plot)

// Plot implements plot.Plotter.
func (p plotter) Plot(canvas draw.Canvas, in *plot.Plot) { p(canvas, in) }

// bars has one for each count, on top of those below, all in one path.
func (p picture) bars(c color.Color, below, counts []int) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		corner := func(i, height int) vg.Point {
			return vg.Point{X: tenths(toX(float64(i) * p.slice.Seconds())), Y: tenths(toY(float64(height)))}
		}
		var path vg.Path
		for i := 0; i < len(counts); i++ {
			var over, under []vg.Point // of bars side by side
			for ; at(counts, i) > 0; i++ {
				low, high := at(below, i), at(below, i)+counts[i]
				over = append(over, corner(i, high), corner(i+1, high))
				under = append(under, corner(i, low), corner(i+1, low))
			}
			slices.Reverse(under)
			path = outline(path, append(over, under...))
		}
		canvas.SetColor(c)
		canvas.Fill(path)
	}
}

// outline adds a polygon to a path, without the points that lie on a level with those
// on both sides.
func outline(path vg.Path, points []vg.Point) vg.Path {
	if len(points) == 0 {
		return path
	}
	path.Move(points[0])
	for i := 1; i < len(points); i++ {
		if i+1 < len(points) && points[i-1].Y == points[i].Y && points[i].Y == points[i+1].Y {
			continue
		}
		path.Line(points[i])
	}
	path.Close()
	return path
}

// level is a line from left to right.
func level(value float64) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		_, toY := in.Transforms(&canvas)
		canvas.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.7}, canvas.Min.X, toY(value), canvas.Max.X, toY(value))
	}
}

// tenths rounds, for a smaller file.
func tenths(x vg.Length) vg.Length { return vg.Length(math.Round(float64(x)*10) / 10) }

func lettering(size font.Length, c color.Color, align text.XAlignment) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: align, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler,
	}
}
