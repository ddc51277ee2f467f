//go:build !race

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReaderAllocations checks that a Reader allocates nothing if its Readings are freed. A refusal whose body is still to be
// read is one object more.
func TestReaderAllocations(t *testing.T) {
	reader := newReader()
	for _, m := range usual() {
		t.Run(m.name, func(t *testing.T) {
			m.url = "https://api.example.com/things"
			resp := m.response()
			want := 0.0
			if reader.Read(resp).WantsBody {
				want = 1
			}
			require.Equal(t, want, testing.AllocsPerRun(100, func() { reader.Free(reader.Read(resp)) })) //nolint:testifylint // whole numbers
		})
	}
}
