package headway

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPanicOfBaseTakesNoPlace(t *testing.T) {
	transport := &Transport{Base: baseFunc(func(*http.Request) (*http.Response, error) { panic("broken") })}
	require.PanicsWithValue(t, "broken", func() { _, _ = get(t.Context(), transport, testURL) })
	require.Zero(t, transport.State()[0].InFlight)
}
