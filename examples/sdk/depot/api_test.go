package depot_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/headway-go/headway/examples/sdk/depot"
)

// An api is the Depot API as far as the tests need it, without limits. ratelimittest adds the limits.
type api struct {
	http.ServeMux
	mu    sync.Mutex
	items []depot.Item
}

const pageSize = 10

// newAPI returns an api with n items.
func newAPI(n int) *api {
	a := &api{}
	for range n {
		a.add(depot.Item{Name: "bolt", Count: 100})
	}
	a.HandleFunc("POST /v1/items", a.create)
	a.HandleFunc("GET /v1/items", a.list)
	a.HandleFunc("GET /v1/items/{id}", a.get)
	return a
}

func (a *api) add(item depot.Item) depot.Item {
	a.mu.Lock()
	defer a.mu.Unlock()
	item.ID = strconv.Itoa(len(a.items))
	a.items = append(a.items, item)
	return item
}

// all returns the current items.
func (a *api) all() []depot.Item {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.items)
}

func (a *api) create(w http.ResponseWriter, r *http.Request) {
	var item depot.Item
	if err := json.NewDecoder(r.Body).Decode(&item); err != nil {
		answer(w, http.StatusBadRequest, depot.Error{Code: "malformed", Message: "not an item"})
		return
	}
	answer(w, http.StatusCreated, a.add(item))
}

func (a *api) get(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("id"))
	items := a.all()
	if err != nil || n < 0 || n >= len(items) {
		answer(w, http.StatusNotFound, depot.Error{Code: "not_found", Message: "no such item"})
		return
	}
	answer(w, http.StatusOK, items[n])
}

func (a *api) list(w http.ResponseWriter, r *http.Request) {
	items := a.all()
	from, _ := strconv.Atoi(r.FormValue("cursor")) // no cursor: the first page
	to, next := from+pageSize, strconv.Itoa(from+pageSize)
	if to >= len(items) {
		to, next = len(items), ""
	}
	answer(w, http.StatusOK, map[string]any{"items": items[min(from, to):to], "next": next})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only if the client is gone
}
