package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// TestJSONMembers shows that the package comment lists exactly the members that exist.
func TestJSONMembers(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, doc, found := strings.Cut(string(source), "# JSON")
	require.True(t, found)
	x := respond(http.StatusTooManyRequests, `RateLimit: "a";r=0;t=30`, "X-RateLimit-Limit: x")
	x.earlier = []earlier{{Status: 301, URL: "https://a.example/"}}
	x.steps = []step{{0, x}}
	data, err := newReport(x, time.Now).json()
	require.NoError(t, err)
	var document any
	require.NoError(t, json.Unmarshal(data, &document))
	requireMembers(t, doc, document)
	for d := limits.DialectRateLimit; d.String() != "unknown"; d++ {
		require.Contains(t, doc, d.String())
	}
}

func requireMembers(t *testing.T, doc string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			require.Contains(t, doc, name)
			requireMembers(t, doc, member)
		}
	case []any:
		require.NotContains(t, v, nil)
		for _, member := range v {
			requireMembers(t, doc, member)
		}
	}
}
