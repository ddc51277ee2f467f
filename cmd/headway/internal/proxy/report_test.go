package proxy

import (
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// An upstream that is down fails all requests at once. The log has a line a second for it, which counts them, and the other
// upstream has lines of its own.
func TestLogFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := baseFunc(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: io.ErrClosedPipe}
		})
		s, log := inMemory(t, down, Upstream{To: api, Path: "/a", Name: "a"}, Upstream{To: api, Path: "/b", Name: "b"})
		const second, seconds = 1000, 3
		for range seconds {
			for range second {
				require.Equal(t, 502, get(t.Context(), s, "/a").StatusCode)
			}
			require.Equal(t, 502, get(t.Context(), s, "/b").StatusCode)
			time.Sleep(sumFor)
			synctest.Wait()
		}
		time.Sleep(sumFor)
		synctest.Wait()
		counts := map[string]int{}
		lines := log.lines("upstream failed")
		for _, line := range lines {
			var l struct {
				Upstream, Kind string
				Count          *int
			}
			require.NoError(t, json.Unmarshal([]byte(line), &l))
			require.Equal(t, failedConnect, l.Kind)
			if l.Count == nil {
				l.Count = new(1)
			}
			counts[l.Upstream] += *l.Count
		}
		require.Equal(t, map[string]int{"a": seconds * second, "b": seconds}, counts)
		require.Len(t, lines, 4+3, "the first, the rest of its second, and one for each later second")
		require.InDelta(t, seconds*second, testutil.ToFloat64(s.proxy.counters.failures.WithLabelValues("a", failedConnect)), 0)
	})
}

// Messages of net/http differ in addresses, and a server may cause any number of kinds.
func TestSummingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, text := newLog()
		log := slog.New(newSumming(base.Handler()))
		for i := range 1000 {
			log.Warn(strings.Repeat("x", i))
			log.Warn("from 127.0.0.1:"+strings.Repeat("1", i%5), slog.Int("i", i))
		}
		time.Sleep(sumFor)
		synctest.Wait()
		require.Less(t, strings.Count(text.String(), "\n"), 2*mostSums)
		require.Contains(t, text.String(), `"i":999,"count":999}`)
	})
}

// The access log has a line for each request, without what may be secret.
func TestAccessLog(t *testing.T) {
	for _, row := range []struct {
		name, path string
		fields     []string
		want       string
	}{
		{
			"sent", "/repos/octo/issues/17?key=hunter2",
			[]string{"Authorization: Bearer hunter2", "X-Request-Id: abc-1"},
			`"upstream":"api.example.com","method":"GET","path":"/repos/octo/issues/[*]","status":200,"seconds":6[0-9.]*,"wait_seconds":6[0-9.]*,` +
				`"request_id":"abc-1","partition":"` + api + `#`,
		},
		{
			"ID of the upstream", "/",
			[]string{"X-Request-Id: hunter2\n"},
			`"path":"/","status":200,"seconds":6[0-9.]*,"wait_seconds":6[0-9.]*,"request_id":"of-upstream","partition":"` + api + `"}`,
		},
		{
			"refused", "/",
			[]string{maxWaitField + ": 1s"},
			`"path":"/","status":429,"seconds":0,"wait_seconds":0,"partition":"` + api + `"}`,
		},
		{"not taken", "/HUNTER2", []string{"", "Host: evil.com"}, `"upstream":"","method":"GET","path":"/[*]","status":421,"seconds":0,"wait_seconds":0}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &ratelimittest.Handler{
					Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)}, Dialect: ratelimittest.Draft10,
				}
				base.Next = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(idField, "of-upstream") })
				s, _ := inMemory(t, &ratelimittest.Transport{Handler: base})
				require.Equal(t, 200, get(t.Context(), s, "/", row.fields[0]).StatusCode) // the quota is used up
				log, text := newLog()
				s.access = log
				get(t.Context(), s, row.path, row.fields...)
				require.Len(t, text.lines("request"), 1)
				require.Regexp(t, row.want, text.String())
				require.NotContains(t, text.String(), "hunter2")
				require.NotContains(t, text.String(), "HUNTER2")
			})
		})
	}
	s, _ := inMemory(t, nil)
	log, text := newLog()
	s.access = log
	send(t.Context(), s, strings.Repeat("X", mostHead), strings.Repeat("/x", mostHead/2), "", "Host: evil.com")
	require.Less(t, len(text.String()), 1000, "clients do not choose how long a line is")
}

// A response that breaks off is a failure of the upstream, and none of it if the client has left.
func TestResponseThatBreaksOff(t *testing.T) {
	for _, isClientGone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			body, more := io.Pipe()
			r := run(t, baseFunc(func(req *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: body, ContentLength: 10, Request: req}, nil
			}), Config{AccessLog: true})
			s := r.session(t)
			s.write(t, simple)
			_, err := io.WriteString(more, "abc")
			require.NoError(t, err)
			_, err = s.in.ReadString('c')
			require.NoError(t, err)
			if isClientGone {
				require.NoError(t, s.Close())
				synctest.Wait()
			}
			require.NoError(t, more.CloseWithError(io.ErrUnexpectedEOF))
			synctest.Wait()
			failures := testutil.ToFloat64(r.proxy.counters.failures.WithLabelValues("api.example.com", failedBroken))
			require.Equal(t, isClientGone, failures == 0)
			require.Contains(t, r.log.await("request"), `"status":200,"seconds":0,"wait_seconds":0,"partition":"`+api+`","broke_off":true}`)
		})
	}
}
