package ratelimittest

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A fresh Limiter decides like a new one, whatever the original has decided, and Fresh does not change the
// original.
func TestFreshDecidesAsNew(t *testing.T) {
	now := time.Unix(0, 0)
	soon, end := now.Add(10*time.Second), now.Add(2*time.Minute)
	makers := variants()
	for _, wrapper := range []struct {
		name string
		wrap func(Limiter) Limiter
	}{
		{"hidden", Hidden},
		{"understated", func(l Limiter) Limiter { return Understate(l, 2, soon, end) }},
		{"pushing back", func(l Limiter) Limiter { return PushBack(l, soon, end) }},
		{"banning", func(l Limiter) Limiter { return Ban(l, 3, time.Minute) }},
		{"the usual limiter of Instead", func(l Limiter) Limiter { return Instead(l, NewConcurrency(2), soon, end) }},
		{"the other limiter of Instead", func(l Limiter) Limiter { return Instead(NewConcurrency(2), l, soon, end) }},
		{"one of two parts", func(l Limiter) Limiter { return All(NewConcurrency(9), l) }},
	} {
		makers = append(makers, variant{wrapper.name, func(p Policy) forecastingLimiter {
			return wrapper.wrap(&Linear{Policy: p, Strict: true}).(forecastingLimiter)
		}})
	}
	for _, v := range makers {
		t.Run(v.name, func(t *testing.T) {
			policy := Policy{Quota: 10, Window: time.Minute}
			used, control := v.make(policy), v.make(policy)
			for i := range 30 {
				at := now.Add(time.Duration(i) * time.Second)
				require.Equal(t, control.Take(at, "client", 1), used.Take(at, "client", 1))
			}
			fresh, made := used.(Fresher).Fresh(), v.make(policy)
			require.IsType(t, made, fresh, "also still a forecaster and a Releaser")
			for i := range 30 {
				at := now.Add(time.Duration(7*i) * time.Second)
				require.Equal(t, made.Take(at, "client", 2), fresh.Take(at, "client", 2))
			}
			require.Equal(t, control.Take(end, "client", 1), used.Take(end, "client", 1))
		})
	}
}

// Fresh copies every exported setting.
func TestFreshHasTheSameSettings(t *testing.T) {
	policy := Policy{
		Name: "name", Quota: 7, Window: time.Hour, Unit: "unit",
		PartitionKey: func(client string) string { return "key of " + client },
		QuotaAt:      func(now time.Time) (int64, time.Time) { return 7, now.Add(time.Hour) },
	}
	for _, l := range []Fresher{
		&FixedWindow{Policy: policy, Aligned: true, Elastic: true},
		&Linear{Policy: policy, Strict: true, Penalty: 7},
		&Exponential{Policy: policy, Strict: true},
		&SlidingLog{Policy: policy, Strict: true, FullReset: true},
		&SlidingCounter{Policy: policy, Strict: true},
		&TokenBucket{Policy: policy, Capacity: 7, Step: 7, FullReset: true},
		&Concurrency{Policy: policy, RetryAfter: 7},
	} {
		was, is := reflect.ValueOf(l).Elem(), reflect.ValueOf(l.Fresh()).Elem()
		for field := range was.Type().Fields() {
			if !field.IsExported() {
				continue
			}
			name := was.Type().Name() + "." + field.Name
			require.False(t, was.FieldByIndex(field.Index).IsZero(), "set %s here", name)
			if field.Name != "Policy" {
				require.Equal(t, was.FieldByIndex(field.Index).Interface(), is.FieldByIndex(field.Index).Interface(), name)
			}
		}
		got := is.FieldByName("Policy").Interface().(Policy)
		require.Equal(t, "key of a", got.PartitionKey("a"))
		quota, until := got.QuotaAt(time.Unix(5, 0))
		require.EqualValues(t, 7, quota)
		require.Equal(t, time.Unix(3605, 0), until)
		got.PartitionKey, got.QuotaAt = nil, nil
		require.Equal(t, Policy{Name: "name", Quota: 7, Window: time.Hour, Unit: "unit"}, got)
	}
}

// A LimiterFunc, and each limiter with a LimiterFunc in it, has no fresh copy.
func TestLimitersWithoutAFreshCopy(t *testing.T) {
	start := time.Unix(0, 0)
	opaque := LimiterFunc(func(time.Time, string, int64) Decision { return Decision{} })
	for name, l := range map[string]Limiter{
		"a function":                   opaque,
		"none":                         nil,
		"one of two parts":             All(NewLinear(1, time.Minute), opaque),
		"a push-back":                  PushBack(opaque, start, start.Add(time.Hour)),
		"a ban":                        Ban(opaque, 1, time.Minute),
		"a hidden one":                 Hidden(opaque),
		"the usual limiter of Instead": Instead(opaque, NewLinear(1, time.Minute), start, start.Add(time.Hour)),
		"the other limiter of Instead": Instead(NewLinear(1, time.Minute), opaque, start, start.Add(time.Hour)),
		"nested deeper":                All(NewLinear(1, time.Minute), Hidden(All(opaque))),
	} {
		require.Nil(t, fresh(l), name)
	}
}
