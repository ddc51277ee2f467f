package main

import (
	"bytes"
	"fmt"
	"time"
)

// The picture has a background of its own, so it looks the same on dark and light pages.
const (
	paper   = "#FCFCFA"
	ink     = "#24292F"
	faint   = "#C8CCD0"
	granted = "#2B6CB0"
	turned  = "#E05A1A" // refused requests, drawn downwards
)

// Lengths in units of the picture.
const (
	svgWidth   = 760.0
	svgLeft    = 36.0
	svgRight   = 12.0
	svgHead    = 52.0
	svgFoot    = 40.0
	stripSpace = 18.0 // above the bars, for the caption
	stripHigh  = 54.0 // the highest bar
	stripLow   = 14.0 // for refused requests, downwards
	strip      = stripSpace + stripHigh + stripLow
)

// A drawing is an SVG document that is being written.
type drawing struct {
	out           bytes.Buffer
	columns, most int
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// svg draws the same as picture.
func (r *result) svg() []byte {
	all, most := r.served()
	d := &drawing{columns: r.columns(), most: most}
	high := svgHead + strip*float64(r.processes) + svgFoot
	title := fmt.Sprintf("%d processes share %d requests per %v s; one of them is killed", r.processes, r.quota, r.window.Seconds())
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%v" height="%v" viewBox="0 0 %[1]v %[2]v" font-family="Arial,Helvetica,sans-serif" fill="%s">`, svgWidth, high, ink)
	d.printf(`<title>%s</title>`, title)
	d.printf(`<rect width="%v" height="%v" fill="%s"/>`, svgWidth, high, paper)
	d.write(14, 20, 13, title)
	d.key()
	d.windows(r, high-svgFoot)
	for i, served := range all {
		base := svgHead + strip*float64(i) + stripSpace + stripHigh
		d.bars(served, base, -1, granted)
		d.bars(r.counts(r.of(i).Refused()), base, 1, turned)
		d.strip(r, i, base)
	}
	d.write(svgWidth/2-20, high-6, 10, "seconds")
	d.printf(`</svg>`)
	return d.out.Bytes()
}

func (d *drawing) write(x, y, size float64, what string) {
	d.printf(`<text x="%.1f" y="%.1f" font-size="%v">%s</text>`, x, y, size, what)
}

func (d *drawing) rule(x1, y1, x2, y2 float64, style string) {
	d.printf(`<path d="M%.1f %.1fL%.1f %.1f" fill="none" %s/>`, x1, y1, x2, y2, style)
}

const (
	solid  = `stroke="` + faint + `"`
	dashed = `stroke="` + ink + `" stroke-width="0.8" stroke-dasharray="4 3"`
	thick  = `stroke="` + turned + `" stroke-width="1.5"`
)

// key explains the colours.
func (d *drawing) key() {
	box := func(x float64, color, what string) {
		d.printf(`<rect x="%v" y="32" width="9" height="9" fill="%s"/>`, x, color)
		d.write(x+14, 40, 10, what)
	}
	line := func(x float64, style, what string) {
		d.rule(x, 36.5, x+20, 36.5, style)
		d.write(x+25, 40, 10, what)
	}
	d.write(14, 40, 10, fmt.Sprintf("requests in each %v s:", slice.Seconds()))
	box(132, granted, "served")
	box(188, turned, "refused (downwards)")
	line(310, dashed, "an even part of the quota")
	line(472, solid, "a window begins")
	line(592, thick, "killed")
}

// x returns the horizontal position of a time after the first arrival.
func (d *drawing) x(at time.Duration) float64 {
	return svgLeft + (svgWidth-svgLeft-svgRight)*float64(at)/float64(time.Duration(d.columns)*slice)
}

// y returns the length of a bar for so many requests.
func (d *drawing) y(requests float64) float64 { return stripHigh * requests / float64(d.most) }

// windows draws where and when each window begins.
func (d *drawing) windows(r *result, low float64) {
	for _, at := range r.windows() {
		d.rule(d.x(at), svgHead, d.x(at), low+4, solid)
		d.write(d.x(at)-6, low+17, 10, fmt.Sprintf("%.1f", at.Seconds()))
	}
}

// bars draws bars upwards (-1) or downwards (1) from base, as far as there is room.
func (d *drawing) bars(counts []int, base, up float64, color string) {
	d.printf(`<path fill="%s" d="`, color)
	for i, n := range counts {
		if n == 0 {
			continue
		}
		long := d.y(float64(n))
		if up > 0 {
			long = min(long, stripLow)
		}
		left, right := d.x(time.Duration(i)*slice), d.x(time.Duration(i+1)*slice)
		d.printf(`M%.1f %.1fV%.1fH%.1fV%.1fZ`, left+0.5, base, base+up*long, right-0.5, base)
	}
	d.printf(`"/>`)
}

// strip draws the name and the bars of one process.
func (d *drawing) strip(r *result, process int, base float64) {
	end, killed := time.Duration(d.columns)*slice, r.killed.Sub(r.begun)
	even := func(from, to time.Duration, processes int) {
		y := base - d.y(float64(r.quota)*slice.Seconds()/r.window.Seconds()/float64(processes))
		d.rule(d.x(from), y, d.x(to), y, dashed)
	}
	d.rule(svgLeft, base, d.x(end), base, solid)
	d.write(10, base+4, 10, "0")
	d.write(10, base-stripHigh+8, 10, fmt.Sprint(d.most))
	mine := r.of(process).Allowed()
	caption := fmt.Sprintf("process %d: %d served before the kill, %d after it", process+1,
		len(mine.Between(r.begun, r.killed)), len(mine.Between(r.killed, r.ended)))
	d.write(svgLeft+40, base-stripHigh-6, 10, caption)
	even(0, killed, r.processes)
	if process == r.processes-1 {
		d.rule(d.x(killed), base-stripHigh, d.x(killed), base+stripLow, thick)
		return
	}
	even(killed, end, r.processes-1)
}
