// Package promheadway exports what headway's Transports do as metrics for Prometheus:
//
//	transport := &headway.Transport{}
//	metrics := &promheadway.Collector{}
//	err := metrics.Instrument(transport, "") // before the first request
//	registry.MustRegister(metrics)
//
// # Metrics
//
// All have the labels transport, which is "" unless the program has given the Transport a
// name, and partition. Counters and the histogram:
//
//	headway_request_wait_seconds      time waited           outcome: sent, resent, abandoned
//	headway_requests_sent_total       first sendings
//	headway_requests_resent_total     sendings after that
//	headway_requests_throttled_total  refusing responses    policy, code
//	headway_requests_refused_total    requests not sent     policy, reason: deadline, max_wait
//	headway_requests_abandoned_total  gave up waiting
//	headway_waits_total               waits begun           policy, cause: as headway.Cause
//	headway_fields_ignored_total      header fields         reason: malformed, too_long, …
//	headway_partitions_evicted_total  partitions forgotten  reason: idle, full
//
// Gauges, as of the moment of the scrape, of the partitions that are known then:
//
//	headway_requests_queued              requests that wait, also for the Ceiling
//	headway_requests_in_flight           requests sent and not over
//	headway_longest_wait_seconds         age of the request that has waited longest in the queue; 0: none is there
//	headway_hold_seconds                 what is left of the longest hold, of a partition or a limit; 0: none
//	headway_limit_quota                  quota                      policy, unit
//	headway_limit_remaining              what remains of it         policy, unit
//	headway_pace_requests_per_second     pace of the slowest; absent where none is known
//	headway_sending_requests_per_second  own rate, averaged over about a minute
//	headway_partitions                   how many partitions have that label
//
// Names have the base unit of what they measure, and _total where it only grows; counts
// of requests and quota units have none, as is usual. The label unit is what a quota counts,
// such as requests, content-bytes or tokens: do not add over it. The label policy is that which a
// request waits for, is refused because of, or has violated, of several the first; "" if none is told.
//
// # Time waited
//
// Each sending of a request is one observation, with the outcome "sent" if it is the first
// and "resent" if not, and so is each that gives up waiting, "abandoned": its context has ended
// or, if it was sent before, it cannot be sent again in time. It has the time that the
// request was kept from the wire since it was made or, if it was throttled, since that response.
// Also if that is none: it is in the first bucket. So nothing is in two of them, and they can be
// added up: the sum of all is how long requests were kept from the wire. Only what a request has
// waited that is then refused, without having been sent before, is in none of them.
//
// There are classic buckets from 1 ms, which stands for no time, to an hour, and a
// native histogram, which scrapers that want it get instead.
//
// # Labels
//
// Servers choose the names of policies, and a program's input may choose partitions, so
// both are bounded: see [Collector]. The rest goes under "(other)". The hash of
// credentials in a partition's name is left out, because it means nothing to another
// process; what users of one server do is summed. Where a sum says nothing, as of quotas
// that may be one or many, the worst is told: quota and remaining of the limit of
// which the smallest part is left, the pace of the slowest, the longest hold and wait.
// The same holds for partition keys and for Transports of one name.
//
// Series stay as long as the Collector, and counters that may be looked for begin at 0, those
// by policy only where there is none.
//
// Of a [headway.Transport] in Shadow, refusals, and the number and causes of waits, are those
// that would be; time waited is what it is, next to none.
//
// No label holds a credential, a URL's path or query, or the value of a header field, unless
// a function of the program's has put it into the name of a partition.
package promheadway
