//go:build !race

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// TestAllocations checks that Response allocates the slice of limits, and nothing else.
func TestAllocations(t *testing.T) {
	want := map[string]int{
		"dialect=none":        0,
		"dialect=draft10":     1,
		"dialect=draft10-two": 1,
		"dialect=draft07":     1,
		"dialect=trio":        1,
		"dialect=x-epoch":     1,
		"dialect=x-delay":     1,
		"dialect=x-dashed":    1,
		"dialect=express":     1,
		"dialect=retry-after": 0,
	}
	messages := dialects()
	for name, allocations := range want {
		t.Run(name, func(t *testing.T) {
			m, ok := messages[name]
			require.True(t, ok)
			resp := m.response()
			got := testing.AllocsPerRun(100, func() { validate.Response(resp, received, validate.Bounds{}) })
			require.Equal(t, allocations, int(got))
		})
	}
}

// TestReaderAllocations checks that a Reader allocates nothing if its Readings are freed.
func TestReaderAllocations(t *testing.T) {
	reader := newReader()
	for _, m := range usual() {
		t.Run(m.name, func(t *testing.T) {
			m.url = "https://api.example.com/things"
			resp := m.response()
			require.Zero(t, testing.AllocsPerRun(100, func() { reader.Free(reader.Read(resp)) }))
		})
	}
}
