// Package monitoring has a dashboard for Grafana and alerts for Prometheus. This module checks them with Prometheus' own parser
// against the metrics of a proxy.
package monitoring_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// ofPrometheus are metrics and labels that Prometheus adds to what it scrapes.
var ofPrometheus = map[string]bool{"up": true, "job": true, "instance": true}

// metrics returns the labels of each metric of a proxy that is in a fleet, after a response, a failure and a refusal.
func metrics(t *testing.T) map[string]map[string]bool {
	t.Helper()
	program := filepath.Join(t.TempDir(), "headway")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(output))
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit-Policy", `"hourly";q=2;w=3600`)
		w.Header().Set("RateLimit", `"hourly";r=0;t=3600`)
	}))
	t.Cleanup(upstream.Close)
	admin := child.FreeAddress(t)
	_, address := child.Start(t, exec.Command(program, "proxy", "-to", upstream.URL, "-listen", "127.0.0.1:0", //nolint:noctx // it ends with the test
		"-admin-listen", admin, "-fleet", filepath.Join(t.TempDir(), "fleet"), "-max-wait", "1s"), func(line string) string {
		var l struct{ Listen string }
		_ = json.Unmarshal([]byte(line), &l) // what cannot be read is not the line
		return l.Listen
	})
	require.Equal(t, http.StatusOK, get(t, "http://"+address, nil))
	require.Equal(t, http.StatusTooManyRequests, get(t, "http://"+address, nil))
	found := map[string]map[string]bool{}
	require.Equal(t, http.StatusOK, get(t, "http://"+admin+"/metrics", func(text io.Reader) {
		decoder := expfmt.NewDecoder(text, expfmt.NewFormat(expfmt.TypeTextPlain))
		for {
			var family dto.MetricFamily
			if err := decoder.Decode(&family); err != nil {
				require.ErrorIs(t, err, io.EOF)
				return
			}
			name := family.GetName()
			if family.GetType() == dto.MetricType_HISTOGRAM {
				name += "_bucket"
			}
			found[name] = map[string]bool{"le": family.GetType() == dto.MetricType_HISTOGRAM}
			for _, m := range family.GetMetric() {
				for _, l := range m.GetLabel() {
					found[name][l.GetName()] = true
				}
			}
		}
	}))
	return found
}

func get(t *testing.T, url string, read func(io.Reader)) (status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	if read != nil {
		read(resp.Body)
	}
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

// dashboard returns the expressions of the dashboard, with an interval in place of Grafana's.
func dashboard(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("grafana.json")
	require.NoError(t, err)
	var d struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	require.NoError(t, json.Unmarshal(text, &d))
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}
	require.NotEmpty(t, all)
	return all
}

func alerts(t *testing.T) (all []string) {
	t.Helper()
	groups, errs := rulefmt.ParseFile("alerts.yaml", false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	require.Empty(t, errs)
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			all = append(all, r.Expr)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// Prometheus understands all expressions, and each metric and each label in them is one of the proxy's.
func TestExpressions(t *testing.T) {
	known := metrics(t)
	for _, text := range append(dashboard(t), alerts(t)...) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
		require.NoError(t, err, text)
		ofAll := map[string]bool{}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			selector, isSelector := node.(*parser.VectorSelector)
			if !isSelector || ofPrometheus[selector.Name] {
				return nil
			}
			require.Contains(t, known, selector.Name, text)
			for _, m := range selector.LabelMatchers {
				require.True(t, m.Name == model.MetricNameLabel || ofPrometheus[m.Name] || known[selector.Name][m.Name], "%s: %s", m.Name, text)
			}
			for label := range known[selector.Name] {
				ofAll[label] = true
			}
			return nil
		})
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if sum, isSum := node.(*parser.AggregateExpr); isSum {
				for _, label := range sum.Grouping {
					require.True(t, ofPrometheus[label] || ofAll[label], "%s: %s", label, text)
				}
			}
			return nil
		})
	}
}
