package bench_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
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

	"github.com/headway-go/headway/ratelimittest"
)

// A sketch is a picture of strips with the same time axis, one below the other. It has a background, for dark pages as
// well as light ones.
type sketch struct {
	file, title string
	key         []keyed
	slice       time.Duration // of a bar
	lasts       time.Duration
	ticks       float64 // seconds
	strips      [][]*plot.Plot
}

// A keyed is what a colour or a line means. With both, the line cuts a box of the colour.
type keyed struct {
	color color.Color
	line  draw.LineStyle
	means string
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
	others  = color.RGBA{0xA8, 0xB0, 0xB8, 0xFF} // what other clients send
)

var (
	evenly   = draw.LineStyle{Color: ink, Width: 0.7, Dashes: []vg.Length{3, 2}}
	boundary = draw.LineStyle{Color: faint, Width: 0.7}
	gap      = draw.LineStyle{Color: paper, Width: 1.5}
)

var (
	keyAllowed = keyed{color: granted, means: "allowed"}
	keyRefused = keyed{color: turned, means: "refused (downwards)"}
	keyLeft    = keyed{line: draw.LineStyle{Color: granted, Width: 1.2}, means: "remaining quota"}
	keyWindow  = keyed{line: boundary, means: "a window begins"}
)

// draw returns the picture as SVG.
func (s *sketch) draw(t *testing.T) string {
	t.Helper()
	svg := vgsvg.New(pictureWidth, vg.Length(headHeight+footHeight+stripHeight*len(s.strips)))
	canvas := draw.New(svg)
	canvas.SetColor(paper)
	canvas.Fill(canvas.Path())
	s.head(canvas)
	body := draw.Crop(canvas, 12, -12, footHeight, -headHeight)
	for i, row := range plot.Align(s.strips, draw.Tiles{Rows: len(s.strips), Cols: 1}, body) {
		s.strips[i][0].Draw(row[0])
	}
	canvas.FillText(lettering(9, ink, draw.XCenter), vg.Point{X: pictureWidth / 2, Y: 8}, "seconds")

	var b, title bytes.Buffer
	_, err := svg.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, xml.EscapeText(&title, []byte(s.title)))
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	before, after, found := strings.Cut(text, "<g ")
	require.True(t, found)
	return before + "<title>" + title.String() + "</title>\n<g " + after
}

// head draws the title and the key.
func (s *sketch) head(canvas draw.Canvas) {
	title, small := lettering(12, ink, draw.XLeft), lettering(9, ink, draw.XLeft)
	high := canvas.Max.Y
	canvas.FillText(title, vg.Point{X: 14, Y: high - 18}, s.title)
	bars := fmt.Sprintf("requests in each %v s:", s.slice.Seconds())
	canvas.FillText(small, vg.Point{X: 14, Y: high - 36}, bars)
	x := 14 + small.Width(bars) + 10
	for _, k := range s.key {
		wide, y := vg.Length(20), high-32
		if k.color != nil {
			canvas.SetColor(k.color)
			canvas.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: high - 36}, Max: vg.Point{X: x + 8, Y: high - 28}}.Path())
			wide, y = 8, high-30.5
		}
		canvas.StrokeLine2(k.line, x, y, x+wide, y)
		x += wide + 4
		canvas.FillText(small, vg.Point{X: x, Y: high - 36}, k.means)
		x += small.Width(k.means) + 18
	}
}

// strip adds a strip with a caption, whose values are from low to top.
func (s *sketch) strip(caption string, low, top float64, marks []float64, parts ...plot.Plotter) {
	strip := plot.New()
	strip.BackgroundColor = nil
	strip.X.Min, strip.X.Max = 0, s.lasts.Seconds()
	strip.Y.Min, strip.Y.Max = low, top+(top-low)/4 // room for the caption
	strip.X.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return every(s.ticks, low, high) })
	var ticks plot.ConstantTicks
	for _, mark := range marks {
		ticks = append(ticks, scale(mark))
	}
	strip.Y.Tick.Marker = ticks
	styleAxes(strip)
	strip.Add(parts...)
	strip.Add(level(0, boundary), plotter(func(canvas draw.Canvas, _ *plot.Plot) {
		canvas.FillText(lettering(9, ink, draw.XLeft), vg.Point{X: canvas.Min.X + 3, Y: canvas.Max.Y - 10}, caption)
	}))
	s.strips = append(s.strips, []*plot.Plot{strip})
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

// bars has a bar for each slice of time.
func (s *sketch) bars(c color.Color, all ratelimittest.Arrivals, top, up float64) plotter {
	return s.columns(c, all.Slices(epoch, s.slice), top, up)
}

// columns draws one bar for each count, up to the top, all in one path. With -1 they point down.
func (s *sketch) columns(c color.Color, counts []int, top, up float64) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		corner := func(i int, height float64) vg.Point {
			return vg.Point{X: tenths(toX(float64(i) * s.slice.Seconds())), Y: tenths(toY(height))}
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
func (s *sketch) cuts(counts []int, top, up float64) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		var path vg.Path
		edge := func(i int) vg.Point {
			return vg.Point{X: tenths(toX(float64(i) * s.slice.Seconds())), Y: tenths(toY(up * top * 0.85))}
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

// even is what an even client sends in a slice.
func (s *sketch) even(p ratelimittest.Policy, parts float64) float64 {
	return float64(p.Quota) * s.slice.Seconds() / p.Window.Seconds() / parts
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

// note writes at a time and a height what is to be seen there.
func note(at, height float64, text string) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		canvas.FillText(lettering(9, ink, draw.XLeft), vg.Point{X: toX(at), Y: toY(height)}, text)
	}
}

// span is a line from one time to another, at some height.
func span(from, to, height float64, style draw.LineStyle) plotter {
	return func(canvas draw.Canvas, in *plot.Plot) {
		toX, toY := in.Transforms(&canvas)
		canvas.StrokeLine2(style, toX(from), toY(height), toX(to), toY(height))
	}
}

// tenths rounds to tenths, for a smaller file.
func tenths(x vg.Length) vg.Length { return vg.Length(math.Round(float64(x)*10) / 10) }

func lettering(size font.Length, c color.Color, align text.XAlignment) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: align, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler,
	}
}
