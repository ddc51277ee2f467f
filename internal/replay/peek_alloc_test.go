//go:build !race

package replay

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeekAllocatesForProblemsOnly(t *testing.T) {
	req := newRequest(t)
	resp := problemResponse(req, newTrackedBody(`{"violated-policies":["daily"]}`))
	resp.Header = http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Retry-After": {"1"}}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if peekViolated(req, resp) != nil {
			t.Fatal("no problem")
		}
	}))
}
