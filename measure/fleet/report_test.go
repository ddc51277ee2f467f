//go:build unix

package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTables(t *testing.T) {
	first, second, fault := newResult(), newResult(), newResult()
	second.all = append(second.all, second.all[1]) // one more refused request
	fault.fault = fault.form.faults.all()[2]
	s := &session{form: *first.form, results: []*result{first, second, fault}}
	require.Equal(t, `| limit        | shared by | requests | refused per 1000 | the most | while warming up |  used | the least |  Jain | the least |
| ------------ | --------- | -------: | ---------------: | -------: | ---------------: | ----: | --------: | ----: | --------: |
| fixed window | a fleet   |        9 |           1250.0 |   1500.0 |              0.0 | 0.500 |     0.500 | 1.000 |     1.000 |`, s.shares())
	require.Equal(t, `| fault       | limit        | refused per 1000 | during it | after it |  used | during it | after it |  Jain |
| ----------- | ------------ | ---------------: | --------: | -------: | ----: | --------: | -------: | ----: |
| bad network | fixed window |           1000.0 |    1000.0 |          | 0.500 |     0.500 |          | 1.000 |`, s.faults())
	calls := regexp.MustCompile(" +").ReplaceAllString(s.calls(), " ")
	require.Contains(t, calls, "| a fleet | fixed window | 12 | 4 | 4 | 4 | 0 | 8 | 9 | 0 | 0 | 9 | 0 | 0s |\n")
	require.Contains(t, calls, "| bad network | fixed window | 6 | 2 | 2 | 2 | 0 | 4 | 4 | 0 | 0 | 9 | 0 | 0s |")
	require.NotContains(t, s.document(), "%!")
}
