package promheadway

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headway-go/headway/internal/series"
)

// zeroWait is the longest wait that a native histogram counts as zero.
const zeroWait = 1.0 / 1024

// The metrics that count events, and the gauges.
type metrics struct {
	wait                               *prometheus.HistogramVec
	sent, resent, throttled, refused   *prometheus.CounterVec
	abandoned, waits, ignored, evicted *prometheus.CounterVec
	gauges                             gauges
}

func newMetrics() *metrics {
	return &metrics{
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "headway_request_wait_seconds",
			Help:    "Time that a request waited before it was sent, sent again or abandoned, since its call or its last response.",
			Buckets: series.WaitBounds(),

			NativeHistogramBucketFactor:    1.1,
			NativeHistogramZeroThreshold:   zeroWait,
			NativeHistogramMaxBucketNumber: 160,
		}, []string{"transport", "partition", "outcome"}),
		sent:      counter("headway_requests_sent_total", "Requests handed to the network, without those sent again."),
		resent:    counter("headway_requests_resent_total", "Requests handed to the network again after they were throttled."),
		throttled: counter("headway_requests_throttled_total", "Responses that refused a request because of a limit, by the policy that was violated, the status code, and whether waiting helps.", "policy", "code", "verdict"),
		refused:   counter("headway_requests_refused_total", "Requests not sent, because they would have had to wait beyond their deadline or MaxWait.", "policy", "reason"),
		abandoned: counter("headway_requests_abandoned_total", "Requests that waited and were not sent, as their context ended or it was too late to send them again."),
		waits:     counter("headway_waits_total", "Waits that are over, by the policy and by the cause that the request has waited for last.", "policy", "cause"),
		ignored:   counter("headway_fields_ignored_total", "Header fields of responses that were ignored or clamped, by reason.", "reason"),
		evicted:   counter("headway_partitions_evicted_total", "Partitions that were forgotten, by reason: idle, or full as another needed the room.", "reason"),
		gauges:    newGauges(),
	}
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"transport", "partition"}, labels...))
}

func (m *metrics) vectors() []prometheus.Collector {
	return []prometheus.Collector{m.wait, m.sent, m.resent, m.throttled, m.refused, m.abandoned, m.waits, m.ignored, m.evicted}
}

func (m *metrics) describe(descs chan<- *prometheus.Desc) {
	for _, v := range m.vectors() {
		v.Describe(descs)
	}
	m.gauges.describe(descs)
}

func (m *metrics) collect(to chan<- prometheus.Metric) {
	for _, v := range m.vectors() {
		v.Collect(to)
	}
}

// The gauges are computed from State at each collection.
type gauges struct {
	partitions, queued, inFlight *prometheus.Desc
	pace, sending, hold, wait    *prometheus.Desc
	quota, remaining             *prometheus.Desc
}

func newGauges() gauges {
	return gauges{
		partitions: gauge("headway_partitions", "Partitions known, such as one for each credential."),
		queued:     gauge("headway_requests_queued", "Requests that wait to be sent."),
		inFlight:   gauge("headway_requests_in_flight", "Requests sent and not over."),
		pace:       gauge("headway_pace_requests_per_second", "Requests per second that may go now, in the slowest partition; none if no pace is known."),
		sending:    gauge("headway_sending_requests_per_second", "Requests per second that are sent, resends included: an average over about a minute."),
		hold:       gauge("headway_hold_seconds", "Time until the longest hold ends, of a partition or one of its limits; 0 if there is none."),
		wait:       gauge("headway_longest_wait_seconds", "Time since the request was made that has waited longest in the queue; 0 if none is there."),
		quota:      gauge("headway_limit_quota", "Quota of the limit of which the smallest part remains, in its unit.", "policy", "unit"),
		remaining:  gauge("headway_limit_remaining", "What remains of the limit of which the smallest part does, in its unit.", "policy", "unit"),
	}
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, append([]string{"transport", "partition"}, labels...), nil)
}

func (g *gauges) describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.partitions, g.queued, g.inFlight, g.pace, g.sending, g.hold, g.wait, g.quota, g.remaining} {
		descs <- d
	}
}

func (g *gauges) collect(to chan<- prometheus.Metric, r *recorder, sum *series.Sum) {
	tell := func(desc *prometheus.Desc, value float64, labels ...string) {
		labels = append([]string{r.transport, r.partition}, labels...)
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...) // all labels are valid UTF-8
	}
	tell(g.partitions, float64(sum.Partitions))
	tell(g.queued, float64(sum.Queued))
	tell(g.inFlight, float64(sum.InFlight))
	tell(g.sending, sum.Sending)
	tell(g.hold, sum.Hold.Seconds())
	tell(g.wait, sum.Wait.Seconds())
	if sum.Pace > 0 {
		tell(g.pace, sum.Pace)
	}
	for name, limit := range sum.Limits {
		if limit.Quota >= 0 {
			tell(g.quota, float64(limit.Quota), name.Policy, name.Unit)
		}
		if limit.Remaining >= 0 {
			tell(g.remaining, float64(limit.Remaining), name.Policy, name.Unit)
		}
	}
}
