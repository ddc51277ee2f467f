//go:build !race

package headway

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeekAllocatesForProblemsOnly(t *testing.T) {
	req := newRequest(t, testURL)
	resp := respond(req, http.StatusTooManyRequests, "Content-Type", "application/json; charset=utf-8", "Retry-After", "1")
	resp.Body = newTrackedBody(`{"violated-policies":["daily"]}`)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if peekViolated(req, resp) != nil {
			t.Fatal("no problem")
		}
	}))
}
