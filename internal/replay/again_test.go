package replay

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// A body is gone if GetBody returns none. What else is sent again is tested in internal/test/refusals.
func TestNotAgainWithoutABody(t *testing.T) {
	req := newRequest(t)
	req.Body = newTrackedBody("first")
	req.GetBody = func() (io.ReadCloser, error) { return nil, nil }
	require.Nil(t, Again(req, 429))
}
