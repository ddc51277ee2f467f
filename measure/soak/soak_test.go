package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/page"
)

func TestMain(m *testing.M) {
	runtime.MemProfileRate = 1 // so that timers can be counted
	m.Run()
}

// newSoak returns a short run with all faults of a long one. It takes real time.
func newSoak(t *testing.T, length time.Duration) *soak {
	t.Helper()
	return &soak{
		length: length, every: 3 * time.Second, seed: 1, out: t.Output(),
		stormEvery: 2 * time.Second, stormLasts: 200 * time.Millisecond,
		restartEvery: time.Second, downFor: 100 * time.Millisecond,
		patience: 5 * time.Second,
	}
}

func TestSoak(t *testing.T) {
	s := newSoak(t, 9*time.Second)
	require.NoError(t, s.run(t.Context()))
	require.EqualValues(t, s.made.Load(), s.ledger.settled)
	for _, o := range []outcome{served, throttled, refused, cancelled, failed, cut} {
		require.NotZero(t, s.ledger.count(o), o)
	}
	for _, f := range []fault{dropBefore, dropAfter, cutBody, slowBody, slowHeader, unavailable} {
		require.NotZero(t, s.ledger.faults[f], f)
	}
	for _, did := range []string{"processed", "not processed", "429", "503"} {
		require.NotZero(t, s.ledger.arrivals[did], did)
	}
	require.GreaterOrEqual(t, s.storms, 3, "of each kind")
	require.GreaterOrEqual(t, s.starts, 4, "each server, gracefully and not")
}

func TestInterruptedSoakEndsWithItsSummary(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	s := newSoak(t, time.Hour)
	var out strings.Builder
	s.out, s.write = &out, page.Folder(t.TempDir())
	time.AfterFunc(time.Second, interrupt)
	require.NoError(t, s.run(ctx))
	require.Contains(t, out.String(), ", 0 violations.\n")
	require.Contains(t, out.String(), "Too few samples to judge growth (0 of 20).")
	require.NotContains(t, out.String(), "NaN")
	requireUnwritten(t, s)
}

// requireUnwritten requires that there is no page.
func requireUnwritten(t *testing.T, s *soak) {
	t.Helper()
	_, err := s.write.Read("soak.md")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReportIsWritten(t *testing.T) {
	s := newSoak(t, time.Minute)
	s.out, s.write = io.Discard, page.Folder(t.TempDir())
	s.ledger, s.lasted, s.samples = newLedger(nil), time.Minute, make([]gauges, enough)
	require.NoError(t, s.summarize())
	written, err := s.write.Read("soak.md")
	require.NoError(t, err)
	require.Contains(t, written, s.report())

	s.ledger.violate("something")
	s.write = page.Folder(t.TempDir())
	require.ErrorIs(t, s.summarize(), errViolated)
	requireUnwritten(t, s)
}

// The soak finds each kind of error that a Transport could make.
func TestSoakFindsWhatIsWrong(t *testing.T) {
	var kept sync.Map
	for _, test := range []struct {
		name string
		do   func(rt http.RoundTripper, req *http.Request) (*http.Response, error)
		want string
	}{
		{"sends twice", func(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.GetBody == nil {
				return rt.RoundTrip(req)
			}
			again := req.Clone(req.Context())
			again.Body, _ = req.GetBody()
			if resp, err := rt.RoundTrip(again); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			return rt.RoundTrip(req)
		}, "was processed 2 times"},
		{"says that it did not send", func(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := rt.RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			return nil, &headway.LimitError{Err: err}
		}, "arrived 1 times"},
		{"makes responses up", func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.Body != nil {
				_ = req.Body.Close()
			}
			return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, Body: io.NopCloser(strings.NewReader("?")), Request: req}, nil
		}, "was answered with 1 bytes"},
		{"fails without a reason", func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.Body != nil {
				_ = req.Body.Close()
			}
			return nil, errors.New("no")
		}, "no connection was lost"},
		{"leaves goroutines", func(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
			go func() { <-t.Context().Done() }()
			return rt.RoundTrip(req)
		}, "too many: goroutines"},
		{"leaves timers", func(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
			time.AfterFunc(time.Hour, func() {})
			return rt.RoundTrip(req)
		}, "too many: timers"},
		{"leaves request bodies open", func(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.GetBody != nil {
				_, _ = req.GetBody()
			}
			return rt.RoundTrip(req)
		}, "too many: request bodies"},
		{"keeps memory", func(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
			kept.Store(req, make([]byte, 64<<10))
			return rt.RoundTrip(req)
		}, "too many: heap"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSoak(t, time.Second)
			s.out, s.patience = io.Discard, 300*time.Millisecond
			s.write = page.Folder(t.TempDir())
			s.tamper = func(rt http.RoundTripper) http.RoundTripper {
				return roundTripper(func(req *http.Request) (*http.Response, error) { return test.do(rt, req) })
			}
			require.ErrorIs(t, s.run(t.Context()), errViolated)
			requireUnwritten(t, s)
			found := slices.ContainsFunc(s.ledger.violations, func(v string) bool { return strings.Contains(v, test.want) })
			require.True(t, found, "%q", s.ledger.violations)
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
