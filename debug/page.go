package debug

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page's parts
	"encoding/base64"
	"html/template"
	"sync"
	"time"
)

// The parts of the page. It is one document, so it works under any path.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// pageTemplate is parsed once and never changes.
//
//nolint:gochecknoglobals // a Handler is a literal, with no constructor to parse it in.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageHTML))
})

// contentSecurityPolicy allows the page its own style, script and icon, and requests for itself.
//
//nolint:gochecknoglobals // it is made once of what is embedded, and never changes.
var contentSecurityPolicy = sync.OnceValue(func() string {
	return "default-src 'none'; style-src " + hashSource(pageCSS) + "; script-src " + hashSource(pageJS) +
		"; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
})

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A page has the data of the template.
type page struct {
	Style    template.CSS
	Script   template.JS
	Filter   string
	Now      time.Time
	Sections []section
}

func newPage(now time.Time, sources []source, f filter) page {
	p := page{
		Style: template.CSS(pageCSS), Script: template.JS(pageJS), Filter: f.text,
		Now: moment(now),
	}
	for _, src := range sources {
		p.Sections = append(p.Sections, newSection(now, src.name, src.transport.Shadow, src.transport.State(), f))
	}
	return p
}

// render returns the document. It is rendered in memory, as maxShown bounds its size.
func (p page) render() ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate().Execute(&b, p)
	return b.Bytes(), err
}
