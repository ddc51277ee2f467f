package headway

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A body that trickles in does not keep its request from being sent again.
func TestDiscardOfASlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp := &http.Response{Body: &slowBody{closed: make(chan struct{})}}
		start := time.Now()
		discard(resp)
		require.Equal(t, drainTime, time.Since(start))
		_, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	})
}

// A slowBody sends nothing until it is closed.
type slowBody struct{ closed chan struct{} }

func (b *slowBody) Read([]byte) (int, error) {
	<-b.closed
	return 0, errors.New("closed")
}

func (b *slowBody) Close() error {
	close(b.closed)
	return nil
}
