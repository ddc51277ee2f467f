package identity

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/pacer"
)

// of returns the routing of a request such as "GET /items".
func (r *Routes) of(request string) Routing {
	method, path, _ := strings.Cut(request, " ")
	return r.Of(method, &url.URL{Path: path})
}

// Paths of real APIs and their folded form; * stands for an identifier.
var foldedPaths = []struct{ name, path, folded string }{
	{"GitHub commit", "/repos/octocat/Hello-World/commits/6dcb09b5b57875f334f61aebed695e2e4193db5e", "/repos/octocat/Hello-World/commits/*"},
	{"GitLab notes", "/api/v4/projects/278964/merge_requests/1234/notes", "/api/v4/projects/*/merge_requests/*/notes"},
	{"GitLab project by its name", "/api/v4/projects/gitlab-org%2Fgitlab/issues", "/api/v4/projects/*/issues"},
	{"Discord, a word with a digit", "/api/v10/oauth2/applications/@me", "/api/v10/*/applications/*"},
	{"Stripe customer without a digit", "/v1/customers/cus_NffrFeUfNVxHib", "/v1/customers/*"},
	{"Slack, capitals", "/api/files.getUploadURLExternal", "/api/files.getUploadURLExternal"},
	{"OpenAI model", "/v1/models/gpt-4o", "/v1/models/*"},
	{"AWS Lambda", "/2015-03-31/functions/my-function/invocations", "/*/functions/my-function/invocations"},
	{"Kubernetes beta", "/apis/batch/v1beta1/cronjobs", "/apis/batch/v1beta1/cronjobs"},
	{"Telegram", "/bot123456:ABC-DEF/sendMessage", "/*/sendMessage"},
	{"Microsoft Graph batch", "/v1.0/$batch", "/v1.0/$batch"},
	{"UUID", "/items/123e4567-e89b-12d3-a456-426614174000", "/items/*"},
	{"versions", "/v0/V2/v2.1/v2alpha1/v9", "/v0/V2/v2.1/v2alpha1/v9"},
	{"no versions", "/v/vip/v12345678/1v/vp9", "/v/vip/*/*/*"},
	{"a list", "/users/a,b/~me/(x)/a+b", "/users/*/*/*/*"},
	{"not ASCII", "/wiki/Zürich", "/wiki/*"},
	{"the longest word", "/" + strings.Repeat("a", maxWord), "/" + strings.Repeat("a", maxWord)},
	{"longer than a word", "/" + strings.Repeat("a", maxWord+1), "/*"},
	{"a short word in capitals", "/Me", "/*"},
	{"a quarter of capitals", "/getA/getZ", "/getA/getZ"},
}

// Paths have one route if they differ in identifiers only.
func TestFolding(t *testing.T) {
	for _, test := range foldedPaths {
		t.Run(test.name, func(t *testing.T) {
			var r Routes
			r.of("GET " + test.path)
			require.Equal(t, Routing{Number: 1}, r.of("GET "+test.folded))
			segments := strings.Split(test.folded, "/")
			for i, word := range segments[1:] {
				if word != "*" { // then it was not folded
					segments[i+1] = "*"
					require.NotEqual(t, Routing{Number: 1}, r.of("GET "+strings.Join(segments, "/")), word)
					segments[i+1] = word
				}
			}
		})
	}
}

func TestTemplate(t *testing.T) {
	for path, want := range map[string]string{
		"": "/", "//items//7/": "/items/*", "/1" + strings.Repeat("/a", maxDepth): "/*" + strings.Repeat("/a", maxDepth-1) + "/",
	} {
		require.Equal(t, want, Template(path))
	}
}

func TestRoutesOfTwoRequests(t *testing.T) {
	const alike, apart = true, false
	for _, test := range []struct {
		name, first, second string
		want                bool
	}{
		{"no method", " /a", "GET /a", alike},
		{"HEAD", "HEAD /a", "GET /a", alike},
		{"POST", "POST /a", "GET /a", apart},
		{"a method and a word", "search /a", "GET /a/search", apart},
		{"a method of identifiers", "POST /a/1", "POST /a/2", alike},
		{"root", "GET /", "GET ", alike},
		{"slash at the end", "GET /a/b/", "GET /a/b", alike},
		{"no slash at the start", "GET a/b", "GET /a/b", alike},
		{"where a segment ends", "GET /ab/c", "GET /a/bc", apart},
		{"case", "GET /search", "GET /Search", apart},
		{"deepest", "GET /a/b/c/d/e/f/g/h", "GET /a/b/c/d/e/f/g/i", apart},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r Routes
			require.Equal(t, Routing{Number: 1}, r.of(test.first))
			require.Equal(t, test.want, r.of(test.second).Number == 1)
			require.Equal(t, Routing{Number: 1}, r.of(test.first), "again")
		})
	}
}

func TestEscapedPaths(t *testing.T) {
	var r Routes
	for path, want := range map[string]uint8{"/projects/*": 1, "/projects/gitlab-org%2Fgitlab": 1, "/projects/gitlab-org/gitlab": 2} {
		r = Routes{}
		r.of("GET /projects/278964")
		u, err := url.Parse("https://api.example.com" + path)
		require.NoError(t, err)
		require.Equal(t, want, r.Of("GET", u).Number, path)
	}
}

// The number of routes has a bound. What finds no room shares the route of the nearest path above, or that of another
// method. Deep paths leave room for short ones, and all keep their numbers.
func TestBound(t *testing.T) {
	rng := kit.Chance(t, t.Name(), 0)
	for _, test := range []struct {
		name string
		next func() string
	}{
		{"words", func() string { return "GET /" + randomWord(rng) }},
		{"methods", func() string { return randomWord(rng) + " /users" }},
		{"methods of the root", func() string { return randomWord(rng) + " /" }},
		{"deep", func() string {
			return fmt.Sprintf("GET /repos/%s/%s/issues/1/comments", randomWord(rng), randomWord(rng))
		}},
		{"deeper than what counts", func() string { return "GET /a/" + randomWord(rng) + strings.Repeat("/b", rng.IntN(20)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r Routes
			require.Equal(t, Routing{Number: 1}, r.of("GET /graphql"))
			numbers := map[string]uint8{}
			for range 5000 {
				request := test.next()
				got := r.of(request)
				require.LessOrEqual(t, got.Number, uint8(pacer.MaxRoutes))
				require.NotZero(t, got.Number)
				numbers[request] = got.Number
			}
			require.True(t, r.of(test.next()).Mixed, "there is no room")
			for request, want := range numbers {
				require.Equal(t, want, r.of(request).Number, request)
			}
			require.Equal(t, Routing{Number: 1}, r.of("GET /graphql"))
		})
	}
}

// After a walk through all repositories another part of an API still gets its own routes.
func TestRoomForShortPaths(t *testing.T) {
	r, rng := Routes{}, kit.Chance(t, t.Name(), 0)
	for range 10_000 {
		r.of(fmt.Sprintf("GET /repos/%s/%s/issues/1/comments", randomWord(rng), randomWord(rng)))
	}
	repos := r.of("GET /repos/unknown/unseen/issues/1/comments")
	require.True(t, repos.Mixed)
	for i, request := range []string{"GET /graphql", "GET /search", "GET /users"} {
		require.Equal(t, Routing{Number: repos.Number + 1 + uint8(i)}, r.of(request), request)
	}
}

// Of long paths only the beginning counts. Their routes are shared, and finding them takes no long time.
func TestLongPaths(t *testing.T) {
	for _, test := range []struct{ name, path, longer string }{
		{"bytes", "/a" + strings.Repeat("/", maxPath-2), "/a" + strings.Repeat("/", maxPath) + "b"},
		{"hostile", "/a/1", "/a/" + strings.Repeat("1", 10<<20)},
		{"a million segments", "/a/a/a/a/a/a/a/a", strings.Repeat("/a", 1<<20)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r Routes
			r.of("GET /other")
			require.Equal(t, Routing{Number: 2}, r.of("GET "+test.path))
			require.Equal(t, Routing{Number: 2, Mixed: true}, r.of("GET "+test.longer))
			require.Equal(t, Routing{Number: 3, Like: 2, Mixed: true}, r.of("POST "+test.longer))
		})
	}
}

func randomWord(rng *rand.Rand) string {
	word := make([]byte, 12)
	for i := range word {
		word[i] = 'a' + byte(rng.IntN(26))
	}
	return string(word)
}
