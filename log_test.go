package headway

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// A server cannot flood the log with fields that are wrong in ever new ways.
func TestReportedProblemsAreBounded(t *testing.T) {
	p := &partition{}
	for i := range 10 * maxReported {
		problem := &validate.Problem{Field: fmt.Sprint("field ", i)}
		require.Equal(t, i < maxReported, p.reports(problem))
		require.False(t, p.reports(problem))
	}
}
