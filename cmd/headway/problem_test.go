package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMostProblems shows that the first problems by name are listed, with the number of the others.
func TestMostProblems(t *testing.T) {
	rows := []struct {
		name           string
		fields, listed int
		note           string
	}{
		{"all", mostProblems, mostProblems, ""},
		{"one more", mostProblems + 1, mostProblems, "1 more problem is not listed"},
		{"many more", mostProblems + 70, mostProblems, "70 more problems are not listed"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			recording := "HTTP/1.1 200 OK\n" + malformedFields(x.fields) + "\n"
			out, _, code := inspect(recording)
			require.Equal(t, exitIgnored, code)
			require.Equal(t, x.listed, strings.Count(out, "\nproblem "))
			require.Equal(t, x.note != "", strings.Contains(out, "\nnote "))
			require.Contains(t, out, x.note)

			out, _, code = inspect(recording, "-json")
			require.Equal(t, exitIgnored, code)
			var document struct {
				Problems []struct{ Field, Sent string }
				Notes    []string
			}
			require.NoError(t, json.Unmarshal([]byte(out), &document))
			require.Len(t, document.Problems, x.listed)
			for i, p := range document.Problems {
				require.Equal(t, fmt.Sprintf("X-RateLimit-Remaining-%05ds", i+1), p.Field)
				require.Equal(t, "=", p.Sent)
			}
			require.Equal(t, x.note, strings.Join(document.Notes, ""))
		})
	}
}
