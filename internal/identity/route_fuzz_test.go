package identity

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRoutes sends one request per line. It compares their routes with those of plainRoutes.
func FuzzRoutes(f *testing.F) {
	var all, methods strings.Builder
	for i, test := range foldedPaths {
		f.Add(test.path + "\nPOST " + test.folded + "\nHEAD " + test.path + "/more/of/it")
		f.Add("POST " + test.path + "\n" + test.folded + "\nPUT /\nPOST " + test.folded + "/more")
		all.WriteString(test.path + "\nPUT " + test.path + "\n")
		methods.WriteString(strings.Repeat("M", i+1) + " " + foldedPaths[i/8].path + "\n")
	}
	f.Add(all.String())
	f.Add(methods.String())
	f.Add("/" + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "\n/") + "/1\n/z/1")
	f.Add("PUT /" + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "/1/z\nPUT /"))
	f.Add(strings.Repeat("/a/b", 300) + "\n/\n" + strings.Repeat("/", 2000))
	f.Fuzz(func(t *testing.T, requests string) {
		if len(requests) > 1<<16 {
			return // time is linear; see TestDeepPaths
		}
		var r *routes
		plain := plainRoutes{numbers: map[string]uint8{}, children: map[string]int{}, mixed: map[uint8]bool{}}
		for request := range strings.SplitSeq(requests, "\n") {
			method, path, found := strings.Cut(request, " ")
			if !found {
				method, path = "", request
			}
			if r == nil {
				r = newRoutes(shapeOf(method, path))
			}
			got := r.of(method, path)
			require.True(t, got.Like == 0 || got.Like != got.Number && int(got.Like) <= len(r.shapes), "%q: %+v", request, got)
			got.Like = 0 // see TestMethods
			require.Equal(t, plain.of(method, path), got, "%q", request)
			require.Equal(t, got, r.of(method, path), "%q", request)
			require.NotZero(t, got.Number, "%q", request)
		}
		require.LessOrEqual(t, len(r.shapes), maxRoutes)
	})
}

// plainRoutes is a simple implementation of routes whose keys are folded paths. The key of a
// method has one line more.
type plainRoutes struct {
	numbers  map[string]uint8
	children map[string]int
	mixed    map[uint8]bool
}

func (p *plainRoutes) of(method, path string) Routing {
	segments := strings.FieldsFunc(path[:min(len(path), maxPath)], func(c rune) bool { return c == '/' })
	cut := len(path) > maxPath || len(segments) > maxDepth
	trail := []string{"/"}
	for _, segment := range segments[:min(len(segments), maxDepth)] {
		trail = append(trail, trail[len(trail)-1]+"/"+plainFold(segment))
	}
	get := trail[len(trail)-1]
	if method != "" && method != http.MethodGet && method != http.MethodHead {
		trail = append(trail, get+"\n"+method)
	}
	own := trail[len(trail)-1]
	if len(p.numbers) == 0 {
		p.numbers[own] = 1
	}
	n := p.numbers[own]
	if n == 0 {
		n = p.extend(trail)
	}
	if cut || n != p.numbers[own] {
		p.mixed[n] = true
	}
	return Routing{Number: n, Mixed: p.mixed[n]}
}

func (p *plainRoutes) extend(trail []string) (last uint8) {
	for depth, name := range trail {
		if n := p.numbers[name]; n != 0 {
			last = n
			continue
		}
		if len(p.numbers) >= maxRoutes-reserved*depth {
			break
		}
		if depth > 0 && !strings.HasSuffix(name, "/*") && !strings.Contains(name, "\n") {
			if p.children[trail[depth-1]] == maxChildren {
				break
			}
			p.children[trail[depth-1]]++
		}
		last = uint8(len(p.numbers) + 1)
		p.numbers[name] = last
	}
	return last
}

var (
	plainVersion = regexp.MustCompile(`^(?s)[vV][0-9].{0,6}$`)
	plainWord    = regexp.MustCompile(`^[-A-Za-z._:$]{1,64}$`)
	capital      = regexp.MustCompile(`[A-Z]`)
)

func plainFold(segment string) string {
	isLower := 4*len(capital.FindAllString(segment, -1)) <= len(segment)
	if len(segment) <= 8 && plainVersion.MatchString(segment) || isLower && plainWord.MatchString(segment) {
		return segment
	}
	return "*"
}
