package replay

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func refusal(text string) *http.Response {
	return &http.Response{Body: io.NopCloser(strings.NewReader(text))}
}

// The budget is enough for so many waiting resends: with the longest bodies, and with usual ones.
func TestBudgetBoundsBuffers(t *testing.T) {
	const waiting = 10_000
	for _, test := range []struct {
		name       string
		text       string
		least, all int64 // bytes that are kept
	}{
		{"large", strings.Repeat("x", drainBytes), budget - drainBytes, budget},
		{"odd", strings.Repeat("x", 10_001), budget - 20_000, budget},
		{"small", strings.Repeat("x", 400), waiting * 400, waiting * 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // time must not pass on a slow machine
				var b Budget
				var size int64
				all, responses := make([]Buffer, waiting), make([]*http.Response, waiting)
				for i := range waiting {
					responses[i] = refusal(test.text)
					all[i] = b.Discard(newRequest(t), responses[i], true)
					size += int64(cap(all[i].data))
				}
				require.Equal(t, size, b.Used())
				require.LessOrEqual(t, size, test.all)
				require.GreaterOrEqual(t, size, test.least, "what there is is used")
				whole := 0
				for i := range waiting {
					stored := len(all[i].data)
					all[i].Free()
					all[i].Free() // once is enough
					got, err := io.ReadAll(responses[i].Body)
					require.Len(t, got, stored)
					if stored == len(test.text) {
						require.NoError(t, err)
						whole++
					} else {
						require.ErrorIs(t, err, io.ErrUnexpectedEOF)
					}
				}
				require.GreaterOrEqual(t, int64(whole+2)*int64(len(test.text)), test.least, "nearly all are whole")
				require.Zero(t, b.Used())
			})
		})
	}
}

// The budget is never exceeded, even while bodies are read, and all bytes are given back.
func TestBudgetIsShared(t *testing.T) {
	var b Budget
	var group sync.WaitGroup
	text := strings.Repeat("x", drainBytes)
	req := newRequest(t)
	for range 200 {
		group.Go(func() {
			resp := &http.Response{Body: io.NopCloser(io.MultiReader(strings.NewReader(text[:drainBytes/2]), readerFunc(func(p []byte) (int, error) {
				if used := b.Used(); used > budget {
					t.Errorf("%d bytes are kept", used)
				}
				return 0, io.EOF
			})))}
			buffer := b.Discard(req, resp, true)
			buffer.Free()
		})
	}
	group.Wait()
	require.Zero(t, b.Used())
}

func TestNoBuffer(t *testing.T) {
	full := &Budget{}
	require.True(t, full.reserve(budget))
	for _, test := range []struct {
		name    string
		budget  *Budget
		keep    bool
		text    string
		wantErr error
	}{
		{"nobody asks for it", &Budget{}, false, "slow down", io.ErrUnexpectedEOF},
		{"there is no room", full, true, "slow down", io.ErrUnexpectedEOF},
		{"nobody asks for nothing", &Budget{}, false, "", nil},
		{"no room is needed", full, true, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := newTrackedBody(test.text)
			resp, used := &http.Response{Body: body}, test.budget.Used()
			buffer := test.budget.Discard(newRequest(t), resp, test.keep)
			require.Equal(t, used, test.budget.Used())
			require.Zero(t, body.Reader.(*strings.Reader).Len(), "it is read, for its connection's sake")
			require.Equal(t, 1, body.closed)
			got, err := io.ReadAll(resp.Body)
			require.ErrorIs(t, err, test.wantErr)
			require.Empty(t, got)
			buffer.Free()
			require.Equal(t, used, test.budget.Used())
		})
	}
}
