package identity

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// Paths of real APIs and their folded form; * stands for an identifier.
var foldedPaths = []struct{ name, path, folded string }{
	{"GitHub issue", "/repos/golang/go/issues/123", "/repos/golang/go/issues/*"},
	{"GitHub commit", "/repos/octocat/Hello-World/commits/6dcb09b5b57875f334f61aebed695e2e4193db5e", "/repos/octocat/Hello-World/commits/*"},
	{"GitHub branch", "/repos/octocat/Hello-World/git/refs/heads/main", "/repos/octocat/Hello-World/git/refs/heads/main"},
	{"GitHub search", "/search/issues", "/search/issues"},
	{"GitHub limits", "/rate_limit", "/rate_limit"},
	{"GitHub, long words", "/repos/golang/go/private-vulnerability-reporting", "/repos/golang/go/private-vulnerability-reporting"},
	{"GitLab notes", "/api/v4/projects/278964/merge_requests/1234/notes", "/api/v4/projects/*/merge_requests/*/notes"},
	{"GitLab project by its name", "/api/v4/projects/gitlab-org%2Fgitlab/issues", "/api/v4/projects/*/issues"},
	{"Discord message", "/api/v10/channels/41771983423143937/messages/41771983423143938", "/api/v10/channels/*/messages/*"},
	{"Discord reaction", "/api/v10/channels/1/messages/2/reactions/%F0%9F%94%A5", "/api/v10/channels/*/messages/*/reactions/*"},
	{"Discord self", "/api/v10/users/@me/guilds", "/api/v10/users/*/guilds"},
	{"Discord webhook", "/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe2", "/api/webhooks/*/*"},
	{"Discord, a word with a digit", "/api/v10/oauth2/applications/@me", "/api/v10/*/applications/*"},
	{"Stripe customer", "/v1/customers/cus_NffrFeUfNV2Hib", "/v1/customers/*"},
	{"Stripe customer without a digit", "/v1/customers/cus_NffrFeUfNVxHib", "/v1/customers/*"},
	{"Stripe verb", "/v1/payment_intents/pi_3MtwBwLkdIwHu7ix28a3tqPa/confirm", "/v1/payment_intents/*/confirm"},
	{"Slack", "/api/chat.postMessage", "/api/chat.postMessage"},
	{"Slack, capitals", "/api/files.getUploadURLExternal", "/api/files.getUploadURLExternal"},
	{"Slack, long", "/api/admin.conversations.ekm.listOriginalConnectedChannelInfo", "/api/admin.conversations.ekm.listOriginalConnectedChannelInfo"},
	{"Slack, a word with a digit", "/api/oauth.v2.access", "/api/*"},
	{"OpenAI completions", "/v1/chat/completions", "/v1/chat/completions"},
	{"OpenAI run", "/v1/threads/thread_abc123/runs/run_abc123", "/v1/threads/*/runs/*"},
	{"OpenAI file", "/v1/files/file-abc123/content", "/v1/files/*/content"},
	{"OpenAI model", "/v1/models/gpt-4o", "/v1/models/*"},
	{"Anthropic messages", "/v1/messages", "/v1/messages"},
	{"Anthropic count", "/v1/messages/count_tokens", "/v1/messages/count_tokens"},
	{"Anthropic batch", "/v1/messages/batches/msgbatch_013Zva2CMHLNnXjNJJKqJ2EF/results", "/v1/messages/batches/*/results"},
	{"Shopify product", "/admin/api/2024-01/products/632910392.json", "/admin/api/*/products/*"},
	{"Shopify products", "/admin/api/2024-01/products.json", "/admin/api/*/products.json"},
	{"AWS Lambda", "/2015-03-31/functions/my-function/invocations", "/*/functions/my-function/invocations"},
	{"AWS S3", "/my-bucket/photos/2006/February/sample.jpg", "/my-bucket/photos/*/February/sample.jpg"},
	{"Kubernetes pod", "/api/v1/namespaces/default/pods/nginx-7c5ddbdf54-abcde/log", "/api/v1/namespaces/default/pods/*/log"},
	{"Kubernetes beta", "/apis/batch/v1beta1/cronjobs", "/apis/batch/v1beta1/cronjobs"},
	{"Kubernetes, long", "/apis/policy/v1/validatingadmissionpolicybindings", "/apis/policy/v1/validatingadmissionpolicybindings"},
	{"Telegram", "/bot123456:ABC-DEF/sendMessage", "/*/sendMessage"},
	{"Google verb", "/v1/text:synthesize", "/v1/text:synthesize"},
	{"Google model", "/v1beta/models/gemini-2.0-flash:generateContent", "/v1beta/models/*"},
	{"Microsoft Graph mail", "/v1.0/users/octocat@example.com/messages", "/v1.0/users/*/messages"},
	{"Microsoft Graph batch", "/v1.0/$batch", "/v1.0/$batch"},
	{"Salesforce", "/services/data/v58.0/sobjects/Account/001D000000INjVeIAL", "/services/data/v58.0/sobjects/Account/*"},
	{"Twilio", "/2010-04-01/Accounts/ACXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX/Messages.json", "/*/Accounts/*/Messages.json"},
	{"Cloudflare", "/client/v4/zones/023e105f4ecef8ad9ca31a8372d0c353/dns_records", "/client/v4/zones/*/dns_records"},
	{"Coinbase", "/products/BTC-USD/ticker", "/products/*/ticker"},
	{"Jira", "/rest/api/3/issue/PROJ-17", "/rest/api/*/issue/*"},
	{"Docker", "/v2/library/nginx/manifests/latest", "/v2/library/nginx/manifests/latest"},
	{"X", "/2/tweets/search/recent", "/*/tweets/search/recent"},
	{"UUID", "/items/123e4567-e89b-12d3-a456-426614174000", "/items/*"},
	{"words with digits", "/2fa/s3/ipv4/h264/i18n", "/*/*/*/*/*"},
	{"versions", "/v1/V2/v2.1/v2alpha1/v19.0", "/v1/V2/v2.1/v2alpha1/v19.0"},
	{"no versions", "/v/vip/v12345678/1v/vp9", "/v/vip/*/*/*"},
	{"a list", "/users/a,b/~me/(x)/a+b", "/users/*/*/*/*"},
	{"not ASCII", "/wiki/Zürich", "/wiki/*"},
	{"the longest word", "/" + strings.Repeat("a", maxWord), "/" + strings.Repeat("a", maxWord)},
	{"longer than a word", "/" + strings.Repeat("a", maxWord+1), "/*"},
	{"a short word in capitals", "/Me", "/*"},
	{"a quarter of capitals", "/getA", "/getA"},
}

func TestFolding(t *testing.T) {
	for _, test := range foldedPaths {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, shapeOf("GET", test.folded), shapeOf("GET", test.path))
			segments := strings.Split(test.folded, "/")
			for i, word := range segments[1:] {
				if word != "*" { // then it was not folded
					segments[i+1] = "*"
					require.NotEqual(t, shapeOf("GET", strings.Join(segments, "/")), shapeOf("GET", test.path), word)
					segments[i+1] = word
				}
			}
		})
	}
}

func TestShapes(t *testing.T) {
	const alike, apart = true, false
	for _, test := range []struct {
		name           string
		method, path   string
		method2, path2 string
		want           bool
	}{
		{"no method", "", "/a", "GET", "/a", alike},
		{"HEAD", "HEAD", "/a", "GET", "/a", alike},
		{"POST", "POST", "/a", "GET", "/a", apart},
		{"methods of one's own", "PURGE", "/a", "BAN", "/a", apart},
		{"a method and a word", "search", "/a", "GET", "/a/search", apart},
		{"a method and a long word", "subscriptions", "/a", "GET", "/a/subscriptions", apart},
		{"a method of one path", "POST", "/a", "POST", "/b", apart},
		{"a method of identifiers", "POST", "/a/1", "POST", "/a/2", alike},
		{"root", "GET", "/", "GET", "", alike},
		{"slash at the end", "GET", "/a/b/", "GET", "/a/b", alike},
		{"empty segments", "GET", "//a///b", "GET", "/a/b", alike},
		{"no slash at the start", "GET", "a/b", "GET", "/a/b", alike},
		{"another word", "GET", "/a/b", "GET", "/a/c", apart},
		{"another long word", "GET", "/subscriptions", "GET", "/prescriptions", apart},
		{"order", "GET", "/a/b", "GET", "/b/a", apart},
		{"depth", "GET", "/a/b", "GET", "/a", apart},
		{"where a segment ends", "GET", "/ab/c", "GET", "/a/bc", apart},
		{"where a long segment ends", "GET", "/abcdefgh/ijklmnop", "GET", "/abcdefghijklmnop", apart},
		{"case", "GET", "/search", "GET", "/Search", apart},
		{"two identifiers", "GET", "/a/1", "GET", "/a/1/2", apart},
		{"deepest", "GET", "/a/b/c/d/e/f/g/h", "GET", "/a/b/c/d/e/f/g/i", apart},
		{"deeper", "GET", "/a/b/c/d/e/f/g/h", "GET", "/a/b/c/d/e/f/g/h/i", alike},
		{"longest", "GET", strings.Repeat("/", maxPath-1) + "a", "GET", strings.Repeat("/", maxPath-1) + "b", apart},
		{"longer", "GET", strings.Repeat("/", maxPath) + "a", "GET", "/", alike},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, second := shapeOf(test.method, test.path), shapeOf(test.method2, test.path2)
			require.Equal(t, test.want, first == second)

			r := newRoutes(first)
			require.EqualValues(t, 1, r.of(test.method, test.path).Number, "the first shape")
			require.Equal(t, test.want, r.of(test.method2, test.path2).Number == 1)
			require.EqualValues(t, 1, r.of(test.method, test.path).Number, "the first shape, again")
		})
	}
}

// The route of the first shape is found by its hash, and is a normal node of the tree.
func TestFirstRoute(t *testing.T) {
	const first = "/repos/golang/go/issues/123"
	r := newRoutes(shapeOf("GET", first))
	others := map[uint8]bool{}
	for _, path := range []string{"/", "/repos", "/repos/golang/go/issues", "/repos/golang/go/issues/1/comments", "/search/issues"} {
		got := r.of("GET", path)
		require.False(t, got.Mixed, path)
		require.Zero(t, got.Like, path)
		others[got.Number] = true
	}
	require.Len(t, others, 5)
	require.NotContains(t, others, uint8(1))
	require.NotContains(t, others, uint8(0))
	require.Equal(t, Routing{Number: 1}, r.of("HEAD", "/repos/golang/go/issues/7"))
}

// A flood of words takes part of the room only. Earlier routes keep their numbers.
func TestManyWords(t *testing.T) {
	for _, test := range []struct{ name, method, below string }{
		{"at the end", "GET", ""},
		{"with a method", "POST", ""},
		{"before identifiers", "GET", "/1"},
		{"before words", "PUT", "/comments"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRoutes(shapeOf("GET", "/search"))
			all := r.of("GET", "/")
			require.False(t, all.Mixed)
			numbers, rng := map[uint8]int{}, kit.Chance(t, t.Name(), 0)
			for range 1000 {
				got := r.of(test.method, "/"+randomWord(rng)+test.below)
				require.Equal(t, got.Number == all.Number, got.Mixed, "what has no room is found above")
				numbers[got.Number]++
			}
			require.Len(t, numbers, maxChildren+1)
			require.NotContains(t, numbers, uint8(1))
			require.Equal(t, 1000-maxChildren, numbers[all.Number])

			require.Equal(t, Routing{Number: 1}, r.of("GET", "/search"))
			next := uint8(len(r.shapes) + 1)
			require.Equal(t, Routing{Number: next}, r.of("GET", "/123"), "identifiers are not counted")
			require.Equal(t, Routing{Number: next + 1, Like: all.Number}, r.of("POST", "/"), "nor are methods")
		})
	}
}

// Deep paths leave room for short ones.
func TestRoomForShallowPaths(t *testing.T) {
	r, rng := newRoutes(shapeOf("GET", "/graphql")), kit.Chance(t, t.Name(), 0)
	for range 10_000 {
		r.of("GET", fmt.Sprintf("/repos/%s/%s/issues/1/comments", randomWord(rng), randomWord(rng)))
	}
	require.Greater(t, len(r.shapes), maxRoutes/2)
	repos := r.of("GET", "/repos/unknown/unseen/issues/1/comments")
	require.Equal(t, Routing{Number: r.of("GET", "/repos").Number, Mixed: true}, repos)

	numbers := map[uint8]bool{repos.Number: true}
	for _, request := range []string{"GET /graphql", "GET /search", "GET /rate_limit", "GET /users", "POST /"} {
		method, path, _ := strings.Cut(request, " ")
		got := r.of(method, path)
		require.False(t, got.Mixed, request)
		numbers[got.Number] = true
	}
	require.Len(t, numbers, 6)
}

func TestDeepPaths(t *testing.T) {
	for _, test := range []struct{ name, path, longer string }{
		{"segments", "/a/1/c/2/e/3/g/4", "/a/1/c/2/e/3/g/4/i"},
		{"bytes", "/a", "/a" + strings.Repeat("/", maxPath) + "b"},
		{"hostile", "/a/1", "/a/" + strings.Repeat("1", 10<<20)},
		{"a million segments", "/a/a/a/a/a/a/a/a", strings.Repeat("/a", 1<<20)},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRoutes(shapeOf("GET", "/other"))
			short, post := r.of("GET", test.path), r.of("POST", test.path)
			require.Equal(t, Routing{Number: short.Number}, short)
			require.Equal(t, Routing{Number: short.Number + 1, Like: short.Number}, post)
			short.Mixed, post.Mixed, post.Like = true, true, 0
			require.Equal(t, short, r.of("GET", test.longer))
			require.Equal(t, short, r.of("GET", test.path), "from now on")
			require.Equal(t, post, r.of("POST", test.longer))
			require.Equal(t, post, r.of("POST", test.path), "from now on")

			r = newRoutes(shapeOf("GET", test.longer))
			require.NotEqualValues(t, 1, r.of("GET", "/other").Number)
			require.Equal(t, Routing{Number: 1, Mixed: true}, r.of("GET", test.longer), "a first shape")
		})
	}
}

// A route is mixed or not independently of other routes.
func TestMixed(t *testing.T) {
	r := newRoutes(shapeOf("GET", "/"))
	var paths []string
	for i := range 6 {
		for j := range 8 {
			paths = append(paths, fmt.Sprintf("/%c/%c", 'a'+i, 'a'+j))
			r.of("GET", paths[len(paths)-1])
		}
	}
	require.Len(t, r.shapes, 1+6+6*8)
	for _, path := range paths {
		got := r.of("GET", path)
		require.False(t, got.Mixed, path)
		got.Mixed = true
		require.Equal(t, got, r.of("GET", path+strings.Repeat("/", maxPath)))
	}
	for _, path := range paths {
		require.True(t, r.of("GET", path).Mixed, path)
	}
}

// The number of a path never changes.
func TestStableNumbers(t *testing.T) {
	rng := kit.Chance(t, t.Name(), 0)
	words := []string{"1", "2"}
	for range 30 {
		words = append(words, randomWord(rng))
	}
	r := newRoutes(shapeOf("GET", "/"+words[5]))
	seen := map[string]uint8{}
	for range 5000 {
		method := []string{"GET", "POST", "PUT", "DELETE"}[rng.IntN(4)]
		var path strings.Builder
		for range rng.IntN(maxDepth + 2) {
			path.WriteString("/" + words[rng.IntN(len(words))])
		}
		got := r.of(method, path.String())
		require.LessOrEqual(t, got.Number, uint8(maxRoutes))
		require.NotZero(t, got.Number)
		seen[method+" "+path.String()] = got.Number
	}
	for request, want := range seen {
		method, path, _ := strings.Cut(request, " ")
		require.Equal(t, want, r.of(method, path).Number, request)
	}
}

func randomWord(rng *rand.Rand) string {
	word := make([]byte, 12)
	for i := range word {
		word[i] = 'a' + byte(rng.IntN(26))
	}
	return string(word)
}
