package bench_test

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/headway-go/headway/ratelimittest"
)

// A strip reaches up and down to so many even shares. If the highest bars had to fit, evenly sent requests would be too
// small to see.
const shares = 3

// captionShares is the room above the strip for the caption.
const captionShares = 1.4

var (
	evenly   = draw.LineStyle{Color: ink, Width: 0.7, Dashes: []vg.Length{3, 2}}
	boundary = draw.LineStyle{Color: faint, Width: 0.7}
	gap      = draw.LineStyle{Color: paper, Width: 1.5}
)

// strip returns the plot of one timeline.
func (p picture) strip(l timeline, policy ratelimittest.Policy, longest int) *plot.Plot {
	share := float64(policy.Quota) * p.slice.Seconds() / policy.Window.Seconds()
	top := shares * share
	s := plot.New()
	s.BackgroundColor = nil
	s.X.Min, s.X.Max = 0, float64(longest)*p.slice.Seconds()
	s.Y.Min, s.Y.Max = -top, top+captionShares*share
	s.X.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return every(p.ticks, low, high) })
	s.Y.Tick.Marker = plot.ConstantTicks{scale(-top), scale(0), scale(top)}
	styleAxes(s)
	s.Add(
		windowsBegin(policy.Window.Seconds(), -top, top),
		p.bars(granted, l.allowed, top, 1),
		p.bars(turned, l.refused, top, -1),
		p.cuts(l.allowed, top, 1),
		p.cuts(l.refused, top, -1),
		level(0, boundary),
		level(share, evenly),
		plotter(func(canvas draw.Canvas, _ *plot.Plot) {
			canvas.FillText(lettering(9, ink, draw.XLeft), vg.Point{X: canvas.Min.X + 3, Y: canvas.Max.Y - 10}, l.caption(p.slice))
		}),
	)
	return s
}

// styleAxes makes both axes small and faint.
func styleAxes(s *plot.Plot) {
	for _, axis := range []*plot.Axis{&s.X, &s.Y} {
		axis.Tick.Label = lettering(8, ink, axis.Tick.Label.XAlign)
		axis.Color, axis.Tick.Color = faint, faint
		axis.Tick.Length = 3
		axis.Padding = 0
	}
	s.X.Tick.Label.YAlign, s.Y.Tick.Label.YAlign = draw.YTop, draw.YCenter
}

// scale returns a tick labelled with its number of requests, up or down.
func scale(value float64) plot.Tick {
	return plot.Tick{Value: value, Label: strconv.Itoa(int(math.Abs(value)))}
}

// every returns ticks at equal distances.
func every(step, low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for value := low; value <= high; value += step {
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.Itoa(int(value))})
	}
	return ticks
}

// A plotter is a function that draws a part of a plot.
type plotter func(draw.Canvas, *plot.Plot)

// Plot implements plot.Plotter.
func (p plotter) Plot(canvas draw.Canvas, in *plot.Plot) { p(canvas, in) }

// bars draws one bar for each count, up to the top, all in one path. With -1 they point down.
func (p picture) bars(c color.Color, counts []int, top, up float64) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		corner := func(i int, height float64) vg.Point {
			return vg.Point{X: tenths(toX(float64(i) * p.slice.Seconds())), Y: tenths(toY(height))}
		}
		var path vg.Path
		for i := 0; i < len(counts); i++ {
			var outer, inner []vg.Point // of adjacent bars
			for ; at(counts, i) > 0; i++ {
				height := up * min(float64(counts[i]), top)
				outer = append(outer, corner(i, height), corner(i+1, height))
				inner = append(inner, corner(i, 0), corner(i+1, 0))
			}
			slices.Reverse(inner)
			path = outline(path, append(outer, inner...))
		}
		canvas.SetColor(c)
		canvas.Fill(path)
	}
}

// outline adds a polygon to a path. It leaves out points on a straight line with their neighbours.
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

// cuts marks the bars above the top. Adjacent bars get one line.
func (p picture) cuts(counts []int, top, up float64) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		var path vg.Path
		edge := func(i int) vg.Point {
			return vg.Point{X: tenths(toX(float64(i) * p.slice.Seconds())), Y: tenths(toY(up * top * 0.85))}
		}
		for i := 0; i < len(counts); i++ {
			first := i
			for float64(at(counts, i)) > top {
				i++
			}
			if i > first {
				path.Move(edge(first))
				path.Line(edge(i))
			}
		}
		canvas.SetLineStyle(gap)
		canvas.Stroke(path)
	}
}

// level returns a horizontal line.
func level(value float64, style draw.LineStyle) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		_, toY := in.Transforms(&canvas)
		canvas.StrokeLine2(style, canvas.Min.X, toY(value), canvas.Max.X, toY(value))
	}
}

// windowsBegin returns vertical lines from low to top where windows begin.
func windowsBegin(every, low, top float64) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		for x := every; x < in.X.Max; x += every {
			canvas.StrokeLine2(boundary, toX(x), toY(low), toX(x), toY(top))
		}
	}
}

// tenths rounds to tenths, for a smaller file.
func tenths(x vg.Length) vg.Length { return vg.Length(math.Round(float64(x)*10) / 10) }
