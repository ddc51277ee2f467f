package costs

import (
	"context"
	"math"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// remaining returns what is left of the limit in a unit.
func remaining(t *testing.T, transport *headway.Transport, unit parse.Unit) int64 {
	t.Helper()
	for _, l := range transport.State()[0].Limits {
		if l.Unit == unit {
			return l.Remaining
		}
	}
	require.Fail(t, "no such limit", "%s", unit)
	return 0
}

// send makes one request a while later, with a context that Report takes, and returns that.
func send(t *testing.T, transport *headway.Transport, cost int64) context.Context {
	t.Helper()
	time.Sleep(time.Millisecond)
	ctx := headway.WithReport(headway.WithCost(t.Context(), tokens, cost))
	resp, err := kit.Get(ctx, transport, kit.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return ctx
}

// tellingFirst is a server that tells the limits on requests and tokens with its first response only.
func tellingFirst() *kit.Answers {
	return kit.InTurn(kit.Status(http.StatusOK,
		"RateLimit-Policy", `"requests";q=600;w=60, "tokens";q=60000;w=60;qu="tokens"`,
		"RateLimit", `"requests";r=599;t=60, "tokens";r=59000;t=60`),
		kit.Status(http.StatusOK, "RateLimit-Policy", `"requests";q=600;w=60, "tokens";q=60000;w=60;qu="tokens"`))
}

func TestReportTellsLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK))})
		ctx := send(t, transport, 0)
		require.Empty(t, transport.State()[0].Limits)
		require.True(t, headway.Report(ctx, headway.Reported{Limits: []limits.Reported{minute(10, 0)}}))
		require.EqualValues(t, 0, remaining(t, transport, parse.Requests))
		require.Zero(t, transport.State()[0].InFlight)
		begun := time.Now()
		kit.Prime(t, transport)
		require.GreaterOrEqual(t, time.Since(begun), 29*time.Second, "its reset counts")
		require.LessOrEqual(t, time.Since(begun), 40*time.Second)
	})
}

// The real cost replaces the reserved one, as often as it is reported, and nothing else changes.
func TestReportSettlesCosts(t *testing.T) {
	for _, test := range []struct {
		name  string
		costs []map[parse.Unit]int64
		want  int64 // tokens
	}{
		{"less", []map[parse.Unit]int64{{tokens: 150}}, 58_850},
		{"none", []map[parse.Unit]int64{{tokens: 0}}, 59_000},
		{"more", []map[parse.Unit]int64{{tokens: 7000}}, 52_000},
		{"as reserved", []map[parse.Unit]int64{{tokens: 4000}}, 55_000},
		{"as it goes on", []map[parse.Unit]int64{{tokens: 100}, {tokens: 200}, {tokens: 300}}, 58_700},
		{"twice", []map[parse.Unit]int64{{tokens: 150}, {tokens: 150}}, 58_850},
		{"a negative cost", []map[parse.Unit]int64{{tokens: -1}}, 55_000},
		{"an unknown unit", []map[parse.Unit]int64{{"points": 5, "": 7, parse.ConcurrentRequests: 9}}, 55_000},
		{"too much", []map[parse.Unit]int64{{tokens: math.MaxInt64}}, 0},
		{"nothing", []map[parse.Unit]int64{nil}, 55_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := kit.Seeded(t, &headway.Transport{Base: tellingFirst()})
				kit.Prime(t, transport)
				ctx := send(t, transport, 4000)
				require.EqualValues(t, 55_000, remaining(t, transport, tokens))
				requests := remaining(t, transport, parse.Requests)
				for _, costs := range test.costs {
					require.True(t, headway.Report(ctx, headway.Reported{Costs: costs}))
					require.Zero(t, transport.State()[0].InFlight)
				}
				require.Equal(t, test.want, remaining(t, transport, tokens))
				require.Equal(t, requests, remaining(t, transport, parse.Requests))
			})
		})
	}
}

// A report that comes after the end of the window gives nothing back: the units of the next window are those of other
// requests. What a request has cost in excess is charged.
func TestReportAfterTheWindow(t *testing.T) {
	for _, test := range []struct {
		name         string
		sent, report time.Duration // after the beginning of the window
		cost         int64
		want         int64 // tokens, of which another request has used 30,000 in the new window
	}{
		{"nothing", 0, 70 * time.Second, 0, 30_000},
		{"less", 0, 70 * time.Second, 100, 30_000},
		{"less, of a request that was sent late", 50 * time.Second, 65 * time.Second, 100, 30_000},
		{"as reserved", 0, 70 * time.Second, 40_000, 30_000},
		{"more", 0, 70 * time.Second, 50_000, 10_000},
		{"less, of the new window", 61 * time.Second, 66 * time.Second, 10_000, 20_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := kit.Seeded(t, &headway.Transport{Base: tellingFirst()})
				begun := time.Now()
				kit.Prime(t, transport)
				time.Sleep(time.Until(begun.Add(test.sent)))
				reserved := int64(40_000)
				if test.sent > time.Minute {
					reserved = 20_000
				}
				ctx := send(t, transport, reserved)
				time.Sleep(time.Until(begun.Add(max(test.sent, 62*time.Second))))
				send(t, transport, 30_000)
				time.Sleep(time.Until(begun.Add(test.report)))
				for range 2 { // once more changes nothing
					require.True(t, headway.Report(ctx, headway.Reported{Costs: map[parse.Unit]int64{tokens: test.cost}}))
					require.Equal(t, test.want, remaining(t, transport, tokens))
					require.Zero(t, transport.State()[0].InFlight)
				}
			})
		})
	}
}

// What remains, as told by the response or by the report, settles the cost. Then Costs changes nothing.
func TestToldRemainingSettlesCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(http.StatusOK, "RateLimit-Policy", `"tokens";q=60000;w=60;qu="tokens"`, "RateLimit", `"tokens";r=59000;t=60`))
		transport := kit.Seeded(t, &headway.Transport{Base: base})
		kit.Prime(t, transport)
		ctx := send(t, transport, 4000)
		require.EqualValues(t, 59_000, remaining(t, transport, tokens))
		require.True(t, headway.Report(ctx, headway.Reported{Costs: map[parse.Unit]int64{tokens: 150}}))
		require.EqualValues(t, 59_000, remaining(t, transport, tokens))
		told := limits.Reported{Policy: "tokens", Unit: tokens, Quota: 60_000, Remaining: 58_850, Window: time.Minute, Reset: time.Minute}
		require.True(t, headway.Report(ctx, headway.Reported{Limits: []limits.Reported{told}, Costs: map[parse.Unit]int64{tokens: 150}}))
		require.EqualValues(t, 58_850, remaining(t, transport, tokens))
	})
}

// A hook can tell the cost as well.
func TestLimitsSettlesCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := kit.Seeded(t, &headway.Transport{Base: tellingFirst(), Limits: always(headway.Reported{Costs: map[parse.Unit]int64{tokens: 150}})})
		kit.Prime(t, transport)
		require.EqualValues(t, 59_000, remaining(t, transport, tokens), "the response tells what remains")
		send(t, transport, 4000)
		require.EqualValues(t, 58_850, remaining(t, transport, tokens))
	})
}

// A reserved cost that was too high keeps the next request waiting until it is settled.
func TestReportLetsRequestsGo(t *testing.T) {
	for name, report := range map[string]bool{"with a report": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := kit.Seeded(t, &headway.Transport{Base: tellingFirst(), Burst: -1})
				kit.Prime(t, transport)
				ctx := send(t, transport, 59_000)
				begun, done := time.Now(), make(chan struct{})
				go func() {
					defer close(done)
					ctx := headway.WithCost(t.Context(), tokens, 1000)
					if resp, err := kit.Get(ctx, transport, kit.URL); err == nil {
						_ = resp.Body.Close()
					}
				}()
				synctest.Wait()
				time.Sleep(time.Second)
				if report {
					require.True(t, headway.Report(ctx, headway.Reported{Costs: map[parse.Unit]int64{tokens: 100}}))
				}
				<-done
				require.Equal(t, report, time.Since(begun) < 10*time.Second, "%v", time.Since(begun))
			})
		})
	}
}

// A refusal that is learned at the end of a stream holds the partition.
func TestReportOfARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var throttled []headway.ThrottledInfo
		var readings []headway.ReadingInfo
		transport := kit.Seeded(t, &headway.Transport{Base: tellingFirst(), Trace: &headway.Trace{
			Throttled: func(_ context.Context, info headway.ThrottledInfo) { throttled = append(throttled, info) },
			Reading:   func(_ context.Context, info headway.ReadingInfo) { readings = append(readings, info) },
		}})
		ctx := send(t, transport, 1)
		begun := time.Now()
		readings = nil
		require.True(t, headway.Report(ctx, headway.Reported{Throttled: true, RetryAfter: 20 * time.Second}))
		require.Len(t, throttled, 1)
		require.GreaterOrEqual(t, throttled[0].Hold, 20*time.Second)
		require.Equal(t, 20*time.Second, readings[0].Reading.RetryAfter)
		require.Zero(t, readings[0].Status)
		require.True(t, headway.Report(ctx, headway.Reported{Limits: []limits.Reported{minute(10, 9)}}), "it ends no hold")
		kit.Prime(t, transport)
		kit.RequireHeld(t, 20*time.Second, time.Since(begun))
	})
}

// A report that cannot count does nothing.
func TestReportOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := headway.Reported{Limits: []limits.Reported{minute(10, 0)}, Throttled: true, Costs: map[parse.Unit]int64{tokens: 1}}
		var none context.Context
		require.False(t, headway.Report(none, told))
		require.False(t, headway.Report(t.Context(), told))
		require.False(t, headway.Report(headway.WithPriority(t.Context(), 1), told))
		ctx := headway.WithReport(t.Context())
		require.False(t, headway.Report(ctx, told), "no request was made")

		base := kit.InTurn(kit.Status(http.StatusOK))
		resp, err := kit.Get(ctx, &headway.Transport{Base: base, Partition: func(*http.Request) string { return "" }}, kit.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.False(t, headway.Report(ctx, told), "it was not paced")

		transport := kit.Seeded(t, &headway.Transport{Base: base})
		ctx = send(t, transport, 0)
		require.True(t, headway.Report(ctx, headway.Reported{}))
		transport.Forget(transport.State()[0].Partition)
		require.False(t, headway.Report(ctx, told), "it was forgotten")
		require.False(t, transport.State()[0].HeldUntil.After(time.Now()))

		ctx = send(t, transport, 0)
		time.Sleep(time.Hour) // the idle partition is evicted
		require.Empty(t, transport.State())
		require.False(t, headway.Report(ctx, told))
	})
}

// A report is about the last request of its context, in whichever Transport.
func TestReportOfTheLastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := headway.WithReport(t.Context())
		one := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK))})
		two := &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK))}
		for _, transport := range []*headway.Transport{one, two} {
			resp, err := kit.Get(ctx, transport, kit.URL)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.True(t, headway.Report(resp.Request.Context(), headway.Reported{Limits: []limits.Reported{minute(10, 5)}}))
			require.EqualValues(t, 5, remaining(t, transport, parse.Requests))
		}
		require.True(t, headway.Report(ctx, headway.Reported{Limits: []limits.Reported{minute(10, 3)}}))
		require.EqualValues(t, 5, remaining(t, one, parse.Requests))
		require.EqualValues(t, 3, remaining(t, two, parse.Requests))
	})
}

// Nonsense in a report is contained as that of a hook is.
func TestReportOfNonsense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var why []validate.Reason
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK)), Trace: &headway.Trace{
			Ignored: func(_ context.Context, info headway.IgnoredInfo) { why = append(why, info.Problem.Reason) },
		}})
		ctx := send(t, transport, 0)
		require.True(t, headway.Report(ctx, headway.Reported{
			Limits:     []limits.Reported{{}, {Policy: "a", Quota: math.MaxInt64, Remaining: math.MinInt64, Reset: math.MaxInt64}},
			RetryAfter: math.MinInt64, Costs: map[parse.Unit]int64{"": math.MinInt64},
		}))
		require.Equal(t, []validate.Reason{validate.Placeholder, validate.TooMany, validate.TooLong}, why)
	})
}

// Reports and requests may come at once, also from within a hook.
func TestReportConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := kit.Seeded(t, &headway.Transport{
			Base: &kit.Server{Latency: time.Millisecond, Answer: func(int, *http.Request) *http.Response { return kit.Reply(200, http.Header{}) }},
			Limits: func(resp *http.Response) headway.Reported {
				headway.Report(resp.Request.Context(), headway.Reported{Costs: map[parse.Unit]int64{parse.Requests: 1}})
				return headway.Reported{Limits: []limits.Reported{minute(60_000, limits.Unknown)}}
			},
			Trace: &headway.Trace{Reading: func(ctx context.Context, info headway.ReadingInfo) {
				if info.Status != 0 {
					headway.Report(ctx, headway.Reported{RetryAfter: time.Second})
				}
			}},
		})
		ctx := headway.WithReport(t.Context())
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				for _, err := range kit.Crowd(ctx, transport, 4) {
					if err != nil {
						t.Error(err)
					}
				}
				headway.Report(ctx, headway.Reported{Costs: map[parse.Unit]int64{parse.Requests: 2}})
			})
		}
		group.Wait()
		require.Zero(t, transport.State()[0].InFlight)
	})
}

// A server counts the tokens of a stream at its end, and tells of them nowhere but in the stream. A client that reserves
// the most an answer may have, and reports what it had, keeps under the limit and uses it.
func TestStreamsThatReportTheirCosts(t *testing.T) {
	const most, real = 4000, 500
	run := func(reports bool) ratelimittest.Figures {
		return ratelimittest.Run(t, ratelimittest.Scenario{
			Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(60_000, time.Minute)}, Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent,
			Cost: func(*http.Request) int64 { return real },
			NewClient: func(base http.RoundTripper) *http.Client {
				quota := limits.Reported{Policy: "tokens", Unit: tokens, Quota: 60_000, Remaining: limits.Unknown, Window: time.Minute}
				return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base, Limits: always(headway.Reported{Limits: []limits.Reported{quota}})})}
			},
			NewCall: func(client *http.Client) func(context.Context) error {
				return func(ctx context.Context) error {
					ctx = headway.WithReport(headway.WithCost(ctx, tokens, most))
					resp, err := kit.Get(ctx, client.Transport, kit.URL)
					if err != nil {
						return err
					}
					if reports {
						headway.Report(ctx, headway.Reported{Costs: map[parse.Unit]int64{tokens: real}})
					}
					return resp.Body.Close()
				}
			},
			Load: ratelimittest.Batch{Requests: 600, Workers: 8}, Latency: 100 * time.Millisecond,
		})
	}
	with, without := run(true), run(false)
	t.Logf("with reports:\n%v\nwithout:\n%v", with, without)
	require.Equal(t, 600, with.Allowed)
	require.LessOrEqual(t, with.RefusedPerMille(), 5.0)
	require.GreaterOrEqual(t, with.Used, 0.6)
	require.Less(t, without.Used, 0.3)
}

// The caller gets a refusal whose resend turns out to be too late. It can report about that response, too.
func TestReportOfARefusalThatCameBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &kit.Server{Latency: time.Second, Answer: func(n int, _ *http.Request) *http.Response {
			switch n {
			case 0:
				return kit.Reply(http.StatusOK, kit.Fields("RateLimit-Policy", `"minute";q=600;w=60`, "RateLimit", `"minute";r=599;t=60`))
			case 1:
				return kit.Reply(http.StatusTooManyRequests, kit.Fields("Retry-After", "2"))
			}
			return kit.Reply(http.StatusTooManyRequests, kit.Fields("Retry-After", "100"))
		}}
		transport := kit.Seeded(t, &headway.Transport{Base: server, MaxWait: 5 * time.Second})
		kit.Prime(t, transport)
		ctx := headway.WithReport(headway.WithMaxWait(t.Context(), 5*time.Second))
		var group sync.WaitGroup
		group.Go(func() {
			time.Sleep(500 * time.Millisecond)
			_, _ = kit.Get(t.Context(), transport, kit.URL)
		})
		begun := time.Now()
		resp, err := kit.Get(ctx, transport, kit.URL)
		require.NoError(t, err)
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		require.Equal(t, 1500*time.Millisecond, time.Since(begun), "it was to be sent again after 2 s")
		require.Equal(t, 3, server.Sent())
		require.True(t, headway.Report(ctx, headway.Reported{RetryAfter: time.Hour, Throttled: true}))
		require.GreaterOrEqual(t, time.Until(transport.State()[0].HeldUntil), time.Hour)
		group.Wait()
	})
}
