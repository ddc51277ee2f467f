package promheadway

import (
	"github.com/prometheus/client_golang/prometheus"
)

// The values of the label outcome.
const (
	outcomeSent      = "sent"
	outcomeResent    = "resent"
	outcomeAbandoned = "abandoned"
)

// zeroHeld is the longest time held that a native histogram takes for none at all.
const zeroHeld = 1.0 / 1024

// heldBuckets are the bounds of the classic buckets in seconds: 0.001 for what is not held at
// all, fine steps where a person waits, coarse ones from there to the hour in which
// most quotas come back.
func heldBuckets() []float64 {
	return []float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600}
}

// The metrics that events count, and the gauges.
type metrics struct {
	held                               *prometheus.HistogramVec
	sent, resent, throttled, refused   *prometheus.CounterVec
	abandoned, waits, ignored, evicted *prometheus.CounterVec
	gauges                             gauges
}

func newMetrics() *metrics {
	return &metrics{
		held: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "headway_request_held_seconds",
			Help:    "Time that a request was kept from the wire in all, up to its first sending, each sending again, or its abandonment.",
			Buckets: heldBuckets(),

			NativeHistogramBucketFactor:    1.1,
			NativeHistogramZeroThreshold:   zeroHeld,
			NativeHistogramMaxBucketNumber: 160,
		}, []string{"transport", "partition", "outcome"}),
		sent:      counter("headway_requests_sent_total", "Requests handed to the network, without those sent again."),
		resent:    counter("headway_requests_resent_total", "Requests handed to the network again after they were throttled."),
		throttled: counter("headway_requests_throttled_total", "Responses that refused a request because of a limit, by status code.", "code"),
		refused:   counter("headway_requests_refused_total", "Requests not sent, because they would have had to wait beyond their deadline or MaxWait.", "policy", "reason"),
		abandoned: counter("headway_requests_abandoned_total", "Requests whose context ended while they waited."),
		waits:     counter("headway_waits_total", "Waits begun by requests that were kept from the wire, by cause.", "cause"),
		ignored:   counter("headway_fields_ignored_total", "Header fields of responses that were ignored or clamped, by reason.", "reason"),
		evicted:   counter("headway_partitions_evicted_total", "Partitions that were forgotten, by reason: idle, or full as another needed the room.", "reason"),
		gauges:    newGauges(),
	}
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"transport", "partition"}, labels...))
}

func (m *metrics) vectors() []prometheus.Collector {
	return []prometheus.Collector{m.held, m.sent, m.resent, m.throttled, m.refused, m.abandoned, m.waits, m.ignored, m.evicted}
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

// The gauges are made of State each time that metrics are collected.
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
		wait:       gauge("headway_longest_wait_seconds", "Time since the request was made that has waited longest; 0 if none waits."),
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

func (g *gauges) collect(to chan<- prometheus.Metric, s *series, m *sum) {
	tell := func(desc *prometheus.Desc, value float64, labels ...string) {
		labels = append([]string{s.transport, s.partition}, labels...)
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...) // all are clean
	}
	tell(g.partitions, float64(m.partitions))
	tell(g.queued, float64(m.queued))
	tell(g.inFlight, float64(m.inFlight))
	tell(g.sending, m.sending)
	tell(g.hold, m.hold.Seconds())
	tell(g.wait, m.wait.Seconds())
	if m.pace > 0 {
		tell(g.pace, m.pace)
	}
	for labels, l := range m.limits {
		if l.Quota >= 0 {
			tell(g.quota, float64(l.Quota), labels.policy, labels.unit)
		}
		if l.Remaining >= 0 {
			tell(g.remaining, float64(l.Remaining), labels.policy, labels.unit)
		}
	}
}
