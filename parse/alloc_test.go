//go:build !race

package parse_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func TestHeaderAllocates(t *testing.T) {
	for _, c := range []struct {
		name   string
		header http.Header
		most   float64
	}{
		{name: "draft 10", header: response(dialects()["draft10"])},
		{name: "draft 07", header: response(dialects()["draft07"])},
		{name: "GitHub", header: response(dialects()["github"])},
		{name: "dashed", header: response(dialects()["dashed"])},
		{name: "trio with policies", header: response(dialects()["trio"]), most: 2},
		{name: "nothing", header: unrelated()},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := testing.AllocsPerRun(100, func() { parse.Header(c.header) })
			require.LessOrEqual(t, got, c.most)
		})
	}
}
