//go:build !race

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
