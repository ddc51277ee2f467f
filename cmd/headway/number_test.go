package main

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpan(t *testing.T) {
	rows := []struct {
		d          time.Duration
		text, json string
	}{
		{0, "0s", "0"},
		{720 * time.Millisecond, "720ms", "0.72"},
		{2432432432, "2.43s", "2.43243"},
		{59999 * time.Millisecond, "1m", "59.999"},
		{90 * time.Second, "1m30s", "90"},
		{time.Hour + time.Second, "1h0m1s", "3601"},
		{math.MaxInt64, "2562047h47m16s", "9223370000"},
	}
	for _, x := range rows {
		require.Equal(t, x.text, span(x.d).String())
		b, err := span(x.d).MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, x.json, string(b))
	}
}

func TestRate(t *testing.T) {
	rows := []struct {
		r        rate
		text     string
		json     string
		interval span
	}{
		{100000, "100000 per second", "100000", span(10 * time.Microsecond)},
		{1.0 / 3, "20 per minute", "0.333333", span(3 * time.Second)},
		{1.0 / 7200, "12 per day", "0.000138889", span(2 * time.Hour)},
		{1e-300, "8.64e-296 per day", "1e-300", math.MaxInt64 / 2},
	}
	for _, x := range rows {
		require.Equal(t, x.text, x.r.String())
		b, err := x.r.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, x.json, string(b))
		require.InDelta(t, float64(x.interval), float64(x.r.interval()), 1)
	}
}

func TestUnknownNumbers(t *testing.T) {
	for _, v := range []any{count(-1), span(-1), rate(0)} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		require.Equal(t, "null", string(text))
	}
}
