package promheadway

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series"
)

// A recorder counts events of the partitions of one label. It keeps the counters that each request needs. The
// others are looked up when they are needed.
type recorder struct {
	metrics              *metrics
	exemplar             func(context.Context) prometheus.Labels
	transport, partition string

	sent, resent, abandoned prometheus.Counter

	wait prometheus.Observer // for the first time that a request is sent
}

func (c *Collector) newRecorder(transport, partition string) *recorder {
	m := c.metrics
	for _, verdict := range []string{"wait", "never"} { // they start at 0, as a rate would not see the first one otherwise
		m.throttled.WithLabelValues(transport, partition, "", "429", verdict)
	}
	return &recorder{
		metrics: m, exemplar: c.Exemplar, transport: transport, partition: partition,
		sent:      m.sent.WithLabelValues(transport, partition),
		resent:    m.resent.WithLabelValues(transport, partition),
		abandoned: m.abandoned.WithLabelValues(transport, partition),
		wait:      m.wait.WithLabelValues(transport, partition, series.OutcomeSent),
	}
}

func (r *recorder) Sent(ctx context.Context, waited time.Duration) {
	r.sent.Inc()
	r.observe(ctx, r.wait, waited)
}

func (r *recorder) Resent(ctx context.Context, waited time.Duration) {
	r.resent.Inc()
	r.observe(ctx, r.metrics.wait.WithLabelValues(r.transport, r.partition, series.OutcomeResent), waited)
}

func (r *recorder) Abandoned(ctx context.Context, waited time.Duration) {
	r.abandoned.Inc()
	r.observe(ctx, r.metrics.wait.WithLabelValues(r.transport, r.partition, series.OutcomeAbandoned), waited)
}

func (r *recorder) Ended(_ context.Context, policy string, cause headway.Cause) {
	r.count(r.metrics.waits, policy, string(cause))
}

func (r *recorder) Throttled(_ context.Context, policy, verdict string, status int) {
	r.count(r.metrics.throttled, policy, strconv.Itoa(status), verdict)
}

func (r *recorder) Refused(_ context.Context, policy, reason string) {
	r.count(r.metrics.refused, policy, reason)
}

func (r *recorder) Ignored(_ context.Context, reason string) { r.count(r.metrics.ignored, reason) }

func (r *recorder) Evicted(reason string) { r.count(r.metrics.evicted, reason) }

func (r *recorder) count(counter *prometheus.CounterVec, labels ...string) {
	counter.WithLabelValues(append([]string{r.transport, r.partition}, labels...)...).Inc()
}

// observe notes a wait, with an exemplar if there is one.
func (r *recorder) observe(ctx context.Context, to prometheus.Observer, waited time.Duration) {
	if r.exemplar != nil {
		if exemplar := r.exemplar(ctx); exemplar != nil {
			to.(prometheus.ExemplarObserver).ObserveWithExemplar(waited.Seconds(), exemplar) // every histogram implements this
			return
		}
	}
	to.Observe(waited.Seconds())
}
