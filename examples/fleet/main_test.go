package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// TestMain runs the test's binary as a process of the fleet if a test has started it so.
func TestMain(m *testing.M) {
	if isMember(os.Args) {
		end(member(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// short is a plan that ends before the processes have agreed on their parts.
var short = plan{quota: 30, window: time.Second, processes: 3, kill: 750 * time.Millisecond, end: 2250 * time.Millisecond}

// Three processes send, and two after one of them was killed. The server and the processes count the same
// requests.
func TestRun(t *testing.T) {
	s, err := inProcess()
	require.NoError(t, err)
	defer s.close()
	r, err := short.run(t.Context(), s.url)
	require.NoError(t, err)
	require.NoError(t, r.unaccounted())

	all := 0
	for i := range short.processes {
		mine := r.of(i)
		all += len(mine)
		require.NotEmpty(t, mine.Allowed().Between(r.begun, r.killed), "process %d before the kill", i+1)
		if i < short.processes-1 {
			require.NotEmpty(t, mine.Between(r.killed, r.ended), "process %d after the kill", i+1)
			continue
		}
		late := r.counts(mine)[r.killedColumn()+1:] // requests under way when the process is killed still arrive
		require.NotEmpty(t, late)
		require.Equal(t, make([]int, len(late)), late, "process %d after the kill", i+1)
	}
	require.Len(t, r.arrivals, all, "nobody else sends")
	require.Len(t, r.reports, short.processes-1)
	requireShared(t, s.url)

	var out bytes.Buffer
	svg := filepath.Join(t.TempDir(), "picture.svg")
	require.NoError(t, r.show(&out, svg))
	require.Contains(t, out.String(), "← killed\n")
	require.Contains(t, out.String(), "\npart of the quota used   ")
	picture, err := os.ReadFile(svg)
	require.NoError(t, err)
	requireXML(t, picture)
}

// requireShared requires that the store has one partition with members, and nothing about the requests.
func requireShared(t *testing.T, url string) {
	t.Helper()
	options, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	keys, err := client.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	require.Len(t, keys, 1)
	fields, err := client.HGetAll(t.Context(), keys[0]).Result()
	require.NoError(t, err)
	members := 0
	var text strings.Builder
	text.WriteString(keys[0])
	for field, value := range fields {
		text.WriteString(field + value)
		if strings.HasPrefix(field, "m") {
			members++
		}
	}
	require.Positive(t, members)
	for _, secret := range []string{credential, "127.0.0.1", "Authorization"} {
		require.NotContains(t, text.String(), secret)
	}
}

func requireXML(t *testing.T, document []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestShowStopsWithItsContext(t *testing.T) {
	t.Setenv("REDIS_URL", "")
	t.Setenv("PATH", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	require.Error(t, show(ctx, &out, "", short))
	require.Contains(t, out.String(), "Their store: miniredis at 127.0.0.1:")
	require.NotContains(t, out.String(), "part of the quota used")
}

func TestMemberWithoutOrders(t *testing.T) {
	var out bytes.Buffer
	require.ErrorContains(t, member(strings.NewReader(""), &out), "orders")
	require.Error(t, member(strings.NewReader(`{"Store": "no URL"}`), &out))
	require.ErrorContains(t, member(strings.NewReader(`{"Store": "redis://127.0.0.1:1"}`), &out), "key")
}
