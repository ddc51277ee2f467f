package series

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

func TestDefaultName(t *testing.T) {
	for _, row := range []struct{ name, partition, want string }{
		{"an origin", "https://api.example.com", "https://api.example.com"},
		{"a credential", "https://api.example.com#c0ffee5a17ed0a75", "https://api.example.com"},
		{"added to", "search https://api.example.com#c0ffee5a17ed0a75/search", "search https://api.example.com/search"},
		{"another mark before", "https://api.example.com#tenant#c0ffee5a17ed0a75", "https://api.example.com#tenant"},
		{"too short for a hash", "https://api.example.com#c0ffee", "https://api.example.com#c0ffee"},
		{"empty", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, DefaultName(row.partition)) })
	}
	req := httptest.NewRequest(http.MethodGet, "https://api.example.com/", nil)
	req.Header.Set("Authorization", "Bearer hunter2")
	require.Equal(t, "https://api.example.com", DefaultName(headway.DefaultPartition(req)))
}

func TestClean(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"other languages", "günstig 每分钟", "günstig 每分钟"},
		{"control characters", "a\nb\x00c\x1b[31m", "a\ufffdb\ufffdc\ufffd[31m"},
		{"not UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"reversed text", "a\u202eb", "a\ufffdb"},
		{"too long", strings.Repeat("x", 1<<20), strings.Repeat("x", longestName) + "…"},
		{"cut between characters", strings.Repeat("x", longestName-1) + "每", strings.Repeat("x", longestName-1) + "…"},
		{"empty", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := clean(row.in)
			require.Equal(t, row.want, got)
			require.Equal(t, got, clean(got), "and it stays so")
		})
	}
}
