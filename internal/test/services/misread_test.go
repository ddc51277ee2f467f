package services

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// TestMisreadings checks that a refusal whose fields are easily misread holds a client no longer than it
// means to. Read naively, most of them ask for hours or days.
func TestMisreadings(t *testing.T) {
	const name, shortly = "X-RateLimit-", 2 * time.Minute
	for _, row := range []struct {
		name        string
		fields      func() []string
		least, most time.Duration
	}{
		{"a month of 0 beside a second", func() []string {
			return []string{name + "Limit", "50, 0", name + "Remaining", "0, 0", name + "Reset", "1, 1207360", name + "Policy", "50;w=1, 0;w=2592000"}
		}, time.Second, shortly},
		{"milliseconds", func() []string {
			return []string{name + "Limit", "600", name + "Remaining", "0", name + "Reset", "60000"}
		}, time.Minute, shortly},
		{"milliseconds by name", func() []string {
			return []string{name + "Limit", "600", name + "Remaining", "0", name + "Reset-Ms", "60000"}
		}, time.Minute, shortly},
		{"Retry-After is an epoch in milliseconds", func() []string {
			return []string{"Retry-After", strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10)}
		}, time.Minute, shortly},
		{"Retry-After has the digits of a date", func() []string {
			return []string{"Retry-After", time.Now().Add(time.Minute).Format("20060102150405")}
		}, 0, shortly},
		{"digits of a date", func() []string {
			return []string{name + "Limit", "600", name + "Remaining", "0", name + "Reset", time.Now().Format("20060102150405")}
		}, 0, shortly},
		{"ticks of .NET", func() []string {
			return []string{name + "Limit", "600", name + "Remaining", "0", name + "Reset", "639081216300000000"}
		}, 0, shortly},
		{"a time of Go", func() []string {
			return []string{name + "Limit", "600", name + "Remaining", "0", name + "Reset", time.Now().Add(time.Minute).UTC().String()}
		}, time.Minute, shortly},
		{"hours, minutes and seconds", func() []string {
			return []string{"Gw-Quota-Remaining", "0", "Gw-Quota-Resets-After", "00:01:00"}
		}, time.Minute, shortly},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(kit.Epoch()))
				server := refusingOnce(http.StatusTooManyRequests, kit.Fields(row.fields()...), "")
				x := &sending{method: http.MethodGet, url: kit.ServerURL}
				require.NoError(t, x.through(t.Context(), kit.Seeded(t, &headway.Transport{Base: server})))
				require.Equal(t, http.StatusOK, x.status)
				require.GreaterOrEqual(t, x.took, row.least)
				require.LessOrEqual(t, x.took, row.most)
			})
		})
	}
}
