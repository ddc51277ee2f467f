package debug

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway"
)

// A Handler serves the current knowledge and plans of Transports, as a page or as JSON. It only reads, and
// may be mounted under any path. A Handler is safe for concurrent use. Its fields must not be changed once it
// serves.
type Handler struct {
	// Transports are shown in the order of their names in this map. The program chooses the names, and ""
	// suits a single Transport. Transports that are nil are left out. If there are none, the page says so.
	Transports map[string]*headway.Transport
}

// A source is one of the Transports, with its name.
type source struct {
	name      string
	transport *headway.Transport
}

// ServeHTTP responds to GET and HEAD with the page, or with a [Report]. A Report needs format=json in the
// query, or an Accept field that prefers application/json. format=html asks for the page, regardless of
// Accept. Other formats get status 400. If the query has filter, only partitions whose name contains it are
// shown, regardless of case.
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
		http.Error(w, "format must be html or json", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", string(format))
	if r.Method == http.MethodHead {
		return
	}
	now := time.Now() //nolint:forbidigo // the report describes this moment
	filter := newFilter(query.Get("filter"))
	if format == formatJSON {
		_ = writeReport(w, now, h.sources(), filter) // fails if the client is gone
		return
	}
	text, err := newPage(now, h.sources(), filter).render()
	if err != nil {
		http.Error(w, "the page cannot be rendered", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text) // fails if the client is gone
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

// setHeader sets the fields that all responses have. Caches do not store the response, and pages of other
// sites cannot frame it. The page loads and runs only its own parts, as it shows names that servers have
// chosen.
func setHeader(h http.Header) {
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", contentSecurityPolicy())
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}
