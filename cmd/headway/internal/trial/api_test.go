package trial_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// The limit of the API. A client that sends all at once runs into it after a moment.
const (
	quota  = 10
	window = 2 * time.Second
)

// pagesOfList is the length of each list of issues, two on a page.
const pagesOfList = 5

// startAPI starts an unused API on loopback. Its responses are those that the SDKs expect of GitHub and of OpenAI.
func startAPI(t *testing.T) *ratelimittest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{n}", item)
	mux.HandleFunc("GET /repos/{owner}/{repo}/issues", issues)
	mux.HandleFunc("POST /v1/chat/completions", chat)
	h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, window)}, Dialect: ratelimittest.Draft10}
	h.Next, h.Refuse = mux, http.HandlerFunc(refuse)
	// No NewServer: the race detector does not see that a client in another process comes after these lines.
	s := &ratelimittest.Server{Server: httptest.NewServer(h), Handler: h}
	t.Cleanup(s.Close)
	return s
}

// item answers with its own number, so that a client notices the response to another request.
func item(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		writeJSON(w, http.StatusNotFound, map[string]any{"message": "no such item"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"number": n})
}

// issues answers with a page of a list. As GitHub's, its Link field has absolute URLs.
func issues(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.FormValue("page"))
	if err != nil {
		page = 1 // as GitHub without a page
	}
	if page < pagesOfList {
		link := func(page int, rel string) string {
			return fmt.Sprintf(`<http://%s%s?page=%d>; rel=%q`, r.Host, r.URL.Path, page, rel)
		}
		w.Header().Set("Link", link(page+1, "next")+", "+link(pagesOfList, "last"))
	}
	title := "of " + r.PathValue("repo")
	writeJSON(w, http.StatusOK, []map[string]any{{"number": 2*page - 1, "title": title}, {"number": 2 * page, "title": title}})
}

// chat answers with the question, as a whole or as a stream of its words.
func chat(w http.ResponseWriter, r *http.Request) {
	var question struct {
		Messages []struct{ Content string }
		Stream   bool
	}
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil || len(question.Messages) == 0 {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "no question"}})
		return
	}
	text := question.Messages[0].Content
	if !question.Stream {
		writeJSON(w, http.StatusOK, completion("chat.completion", "message", text))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for word := range strings.SplitAfterSeq(text, " ") {
		event, _ := json.Marshal(completion("chat.completion.chunk", "delta", word)) // of plain types, so it cannot fail
		_, _ = fmt.Fprintf(w, "data: %s\n\n", event)                                 // fails if the client is gone
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// completion is an object of OpenAI's API whose text is in that part of the choice.
func completion(object, part, text string) map[string]any {
	return map[string]any{
		"id": "chatcmpl-1", "object": object, "created": 1, "model": "echo",
		"choices": []map[string]any{{"index": 0, "finish_reason": "stop", part: map[string]any{"role": "assistant", "content": text}}},
	}
}

// refuse explains as both GitHub and OpenAI do.
func refuse(w http.ResponseWriter, _ *http.Request) {
	const text = "rate limit reached"
	writeJSON(w, http.StatusTooManyRequests, map[string]any{"message": text, "error": map[string]any{"message": text}})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	text, _ := json.Marshal(value) // of plain types, so it cannot fail
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails if the client is gone
}
