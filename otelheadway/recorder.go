package otelheadway

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series"
)

// A recorder records with the attributes of the partitions of one name.
type recorder struct {
	*instruments

	attrs []attribute.KeyValue

	// The options that each request needs, made only once.
	all    metric.MeasurementOption
	first  []metric.AddOption
	waited []metric.RecordOption // for the first time that a request is sent
}

func (i *instruments) newRecorder(transport, partition string) *recorder {
	r := &recorder{instruments: i, attrs: ofPartition(partition)}
	if transport != "" {
		r.attrs = append(r.attrs, transportKey.String(transport))
	}
	r.all = r.with()
	r.first = []metric.AddOption{r.all}
	r.waited = []metric.RecordOption{r.with(outcomeKey.String(series.OutcomeSent))}
	return r
}

// with returns the recorder's attributes and further ones. If two have the same key, the last one counts.
func (r *recorder) with(further ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(slices.Clone(r.attrs), further...)...))
}

func (r *recorder) Sent(ctx context.Context, waited time.Duration) {
	r.sent.Add(ctx, 1, r.first...)
	r.wait.Record(ctx, waited.Seconds(), r.waited...)
}

func (r *recorder) Resent(ctx context.Context, waited time.Duration) {
	r.resent.Add(ctx, 1, r.all)
	r.wait.Record(ctx, waited.Seconds(), r.with(outcomeKey.String(series.OutcomeResent)))
}

func (r *recorder) Abandoned(ctx context.Context, waited time.Duration) {
	r.abandoned.Add(ctx, 1, r.all)
	r.wait.Record(ctx, waited.Seconds(), r.with(outcomeKey.String(series.OutcomeAbandoned)))
}

func (r *recorder) Ended(ctx context.Context, policy string, cause headway.Cause) {
	r.waits.Add(ctx, 1, r.with(append(ofPolicy(policy), causeKey.String(string(cause)))...))
}

func (r *recorder) Throttled(ctx context.Context, policy, verdict string, status int) {
	r.throttled.Add(ctx, 1, r.with(append(ofPolicy(policy), verdictKey.String(verdict), semconv.HTTPResponseStatusCode(status))...))
}

func (r *recorder) Refused(ctx context.Context, policy, reason string) {
	r.refused.Add(ctx, 1, r.with(append(ofPolicy(policy), semconv.ErrorTypeKey.String(reason))...))
}

func (r *recorder) Ignored(ctx context.Context, reason string) {
	r.ignored.Add(ctx, 1, r.with(reasonKey.String(reason)))
}

func (r *recorder) Evicted(reason string) {
	r.evicted.Add(context.Background(), 1, r.with(reasonKey.String(reason)))
}
