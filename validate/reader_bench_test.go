package validate_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// usual returns responses in the forms that nearly all servers send.
func usual() []usualResponse {
	const typ = "Content-Type: application/json"
	return []usualResponse{
		{"none", msg(http.StatusOK, date, typ)},
		{"draft10", msg(http.StatusOK, date, typ, `RateLimit: "default";r=50;t=30`, `RateLimit-Policy: "default";q=100;w=60`)},
		{"draft10-three", msg(http.StatusOK, date, typ,
			`RateLimit: "second";r=9;t=1, "minute";r=50;t=30, "day";r=4000;t=7000`,
			`RateLimit-Policy: "second";q=10;w=1, "minute";q=100;w=60, "day";q=5000;w=86400`)},
		{"x-delay", msg(http.StatusOK, date, typ, "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4999", "X-RateLimit-Reset: 30")},
		{"x-epoch", msg(http.StatusOK, date, typ, "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4999", "X-RateLimit-Reset: 1772625630")},
		{"retry-after", msg(http.StatusTooManyRequests, date, typ, "Retry-After: 30")},
	}
}

type usualResponse struct {
	name string
	message
}

func newReader() *validate.Reader {
	return validate.NewReader(validate.Bounds{}, func() time.Time { return received })
}

func BenchmarkReader(b *testing.B) {
	reader := newReader()
	for _, m := range usual() {
		m.url = "https://api.example.com/things"
		resp := m.response()
		b.Run("response="+m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				reader.Free(reader.Read(resp))
			}
		})
	}
}
