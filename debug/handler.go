package debug

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway"
)

// A Handler shows what Transports know and plan at the moment, as a page or as JSON.
// It only reads, and may be mounted under any path. It is safe for concurrent use; its
// fields must not be changed once it serves.
type Handler struct {
	// Transports are what is shown, in the order of the names under which they are
	// shown, which are the program's own; "" is good for an only one. Those that are nil
	// are left out. nil or empty: a page that says so.
	Transports map[string]*headway.Transport
}

// A source is one of the Transports and its name.
type source struct {
	name      string
	transport *headway.Transport
}

// ServeHTTP answers GET and HEAD with the page, or with a [Report] if the request has
// format=json in its query, or prefers application/json by its Accept field. format=html
// is the page whatever Accept says; another format is answered with 400. Of partitions
// it shows those whose name contains filter, of the query, in upper or lower case.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeader(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	query := r.URL.Query()
	format, ok := chooseFormat(query.Get("format"), r.Header.Values("Accept"))
	if !ok {
		http.Error(w, "format is html or json", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", string(format))
	if r.Method == http.MethodHead {
		return
	}
	now := time.Now() //nolint:forbidigo // what is shown is of now, and how long ago things were
	filter := newFilter(query.Get("filter"))
	if format == formatJSON {
		_ = writeReport(w, now, h.sources(), filter) // it fails if the client is gone
		return
	}
	text, err := newPage(now, h.sources(), filter).render()
	if err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text) // it fails if the client is gone
}

func (h *Handler) sources() []source {
	var all []source
	for _, name := range slices.Sorted(maps.Keys(h.Transports)) {
		if t := h.Transports[name]; t != nil {
			all = append(all, source{name, t})
		}
	}
	return all
}

// setHeader sets what all answers have. What is shown is nobody else's business: no
// cache keeps it, no other site's page may have it in itself, and a page that shows what
// servers have chosen loads and runs nothing but its own.
func setHeader(h http.Header) {
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", contentSecurityPolicy())
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}
