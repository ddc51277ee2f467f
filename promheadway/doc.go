// Package promheadway exports metrics of headway's Transports to Prometheus:
//
//	transport := &headway.Transport{}
//	metrics := &promheadway.Collector{}
//	err := metrics.Instrument(transport, "") // before the first request
//	registry.MustRegister(metrics)
//
// # Metrics
//
// All metrics have the labels transport and partition. transport is "" unless the program has named the
// Transport. Counters and the histogram:
//
//	headway_request_wait_seconds      time waited           outcome: sent, resent, abandoned
//	headway_requests_sent_total       sent the first time
//	headway_requests_resent_total     sent again
//	headway_requests_throttled_total  throttled responses   policy, code, verdict: unknown, wait, only_this, never
//	headway_requests_refused_total    requests not sent     policy, reason: deadline, max_wait
//	headway_requests_abandoned_total  gave up waiting
//	headway_waits_total               waits that are over   policy, cause: as headway.Cause, what was waited for last
//	headway_fields_ignored_total      header fields         reason: malformed, too_long, …
//	headway_partitions_evicted_total  partitions forgotten  reason: idle, full
//
// Gauges describe the moment of the scrape, for the partitions that are known then and that requests have used:
//
//	headway_requests_queued              requests that wait, also for the Ceiling
//	headway_requests_in_flight           requests that were sent and have not ended
//	headway_longest_wait_seconds         age of the oldest request in the queue; 0: the queue is empty
//	headway_hold_seconds                 time until the longest hold ends, of a partition or a limit; 0: no hold
//	headway_limit_quota                  quota                      policy, unit
//	headway_limit_remaining              remaining quota            policy, unit
//	headway_pace_requests_per_second     pace of the slowest partition; absent if no pace is known
//	headway_sending_requests_per_second  requests sent per second, averaged over about a minute
//	headway_partitions                   how many partitions have that label
//
// Names contain the base unit of what they measure, and _total for counters. Counts of requests and quota units
// have no unit, as is usual. The label unit is what a quota counts, such as requests, content-bytes or tokens. Do
// not add up different units. The label policy is the policy for which a request waits, because of which it is
// refused, or which it has violated. If there are several, it is the first. It is "" if the server reports none.
// headway_waits_total counts each wait when it is over.
//
// # Time waited
//
// headway_request_wait_seconds has one observation each time that a request is sent: with the outcome "sent" for
// the first time, and "resent" after that. A request that gives up waiting is observed with the outcome
// "abandoned". It gives up when its context ends, or when it was sent before and cannot be sent again in time.
//
// The observed time is headway's delay since the request was made or, if it was throttled, since the throttled
// response. A request without a delay counts as well, in the first bucket. No delay is observed twice, so the
// sum is the total delay of all requests. Only the wait of a request that is refused, and was never sent, is not
// observed.
//
// There are classic buckets from 1 ms, which stands for no delay, to an hour. Scrapers that support native
// histograms get one instead.
//
// # Labels
//
// Servers choose the names of policies, and input of the program may choose partitions. So the number of both is
// bounded, see [Collector]. Everything beyond the bounds is summed under "(other)".
//
// The hash of credentials in a partition's name is left out, as it means nothing to other processes. So all
// users of one server are summed. Some numbers cannot be added up, such as quotas that may be one quota or
// several. Of these the metrics have the worst: quota and remaining of the limit with the smallest part left,
// the slowest pace, the longest hold and wait. This also applies to partition keys, and to Transports with the
// same name.
//
// Series stay as long as the Collector. The counters of sent, resent, abandoned and throttled requests start at
// 0, so that a rate includes the first event. That of throttled requests does so with policy "", code 429 and the
// verdicts wait and never.
//
// For a [headway.Transport] in Shadow, the refusals and the number and causes of waits are those that headway
// would cause. Wait times are the real ones, next to nothing.
//
// No label contains a credential, a URL's path or query, or the value of a header field, unless the program's
// own function puts it into a partition's name.
package promheadway
