package otelheadway

import (
	"errors"

	"go.opentelemetry.io/otel/metric"

	"github.com/headway-go/headway/internal/series"
)

// The instruments that record events, and the gauges.
type instruments struct {
	wait                                                                 metric.Float64Histogram
	sent, resent, throttled, refused, abandoned, waits, ignored, evicted metric.Int64Counter

	gauges gauges
}

// The gauges are computed from State at each collection.
type gauges struct {
	partitions, queued, active metric.Int64ObservableUpDownCounter
	pace, sending, hold, wait  metric.Float64ObservableGauge
	quota, remaining           metric.Int64ObservableGauge
}

func (g *gauges) all() []metric.Observable {
	return []metric.Observable{g.partitions, g.queued, g.active, g.pace, g.sending, g.hold, g.wait, g.quota, g.remaining}
}

func (g *gauges) observe(to metric.Observer, r *recorder, sum *series.Sum) {
	to.ObserveInt64(g.partitions, int64(sum.Partitions), r.all)
	to.ObserveInt64(g.queued, int64(sum.Queued), r.all)
	to.ObserveInt64(g.active, int64(sum.InFlight), r.all)
	to.ObserveFloat64(g.sending, sum.Sending, r.all)
	to.ObserveFloat64(g.hold, sum.Hold.Seconds(), r.all)
	to.ObserveFloat64(g.wait, sum.Wait.Seconds(), r.all)
	if sum.Pace > 0 {
		to.ObserveFloat64(g.pace, sum.Pace, r.all)
	}
	for name, limit := range sum.Limits {
		attrs := r.with(append(ofPolicy(name.Policy), unitKey.String(name.Unit))...)
		if limit.Quota >= 0 {
			to.ObserveInt64(g.quota, limit.Quota, attrs)
		}
		if limit.Remaining >= 0 {
			to.ObserveInt64(g.remaining, limit.Remaining, attrs)
		}
	}
}

// newInstruments makes all instruments. The error joins those of all instruments that failed.
func newInstruments(meter metric.Meter) (*instruments, error) {
	m := maker{meter: meter}
	all := &instruments{
		sent:      m.counter("sent_requests", "{request}", "Requests handed to the network, without those sent again."),
		resent:    m.counter("resent_requests", "{request}", "Requests handed to the network again after they were throttled."),
		throttled: m.counter("throttled_requests", "{request}", "Responses that refused a request because of a limit."),
		refused:   m.counter("refused_requests", "{request}", "Requests not sent, because they would have had to wait beyond their deadline or MaxWait."),
		abandoned: m.counter("abandoned_requests", "{request}", "Requests that waited and were not sent, as their context ended or it was too late to send them again."),
		waits:     m.counter("waits", "{wait}", "Waits that are over, by what the request has waited for last."),
		ignored:   m.counter("ignored_fields", "{field}", "Header fields of responses that were ignored or clamped."),
		evicted:   m.counter("evicted_partitions", "{partition}", "Partitions that were forgotten."),
		gauges: gauges{
			partitions: m.upDown("partitions", "{partition}", "Partitions known, such as one for each credential."),
			queued:     m.upDown("queued_requests", "{request}", "Requests that wait to be sent."),
			active:     m.upDown("active_requests", "{request}", "Requests sent and not over."),
			pace:       m.gauge("pace", "{request}/s", "Requests per second that may go now, in the slowest partition; none if no pace is known."),
			sending:    m.gauge("sending_rate", "{request}/s", "Requests per second that are sent, resends included: an average over about a minute."),
			hold:       m.gauge("hold_time", "s", "Time until the longest hold ends, of a partition or one of its limits; 0 if there is none."),
			wait:       m.gauge("longest_wait_time", "s", "Time since the request was made that has waited longest in the queue; 0 if none is there."),
			quota:      m.units("limit.quota", "Quota of the limit of which the smallest part remains."),
			remaining:  m.units("limit.remaining", "What remains of the limit of which the smallest part does."),
		},
	}
	var err error
	all.wait, err = meter.Float64Histogram(prefix+"request.wait_time",
		metric.WithUnit("s"),
		metric.WithDescription("Time that a request waited before it was sent, sent again or abandoned, since its call or its last response."),
		metric.WithExplicitBucketBoundaries(series.WaitBounds()...))
	return all, errors.Join(append(m.errs, err)...)
}

// prefix begins the names of all metrics.
const prefix = "headway.client."

// A maker makes instruments and collects the errors.
type maker struct {
	meter metric.Meter
	errs  []error
}

func (m *maker) counter(name, unit, description string) metric.Int64Counter {
	made, err := m.meter.Int64Counter(prefix+name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return made
}

func (m *maker) upDown(name, unit, description string) metric.Int64ObservableUpDownCounter {
	made, err := m.meter.Int64ObservableUpDownCounter(prefix+name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return made
}

func (m *maker) gauge(name, unit, description string) metric.Float64ObservableGauge {
	made, err := m.meter.Float64ObservableGauge(prefix+name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return made
}

// units makes a gauge of quota units. An attribute says which unit.
func (m *maker) units(name, description string) metric.Int64ObservableGauge {
	made, err := m.meter.Int64ObservableGauge(prefix+name, metric.WithUnit("{unit}"), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return made
}
