// Package otelheadway exports metrics of headway's Transports through OpenTelemetry:
//
//	transport := &headway.Transport{}
//	meter := &otelheadway.Meter{Provider: provider}
//	err := meter.Instrument(transport, "") // before the first request
//
// It depends on the metric API only, not on an SDK. Each provider should have only one [Meter], as two would report the
// same gauges.
//
// # Metrics
//
// All names begin with headway.client, as those of HTTP clients begin with http.client. All metrics have the attribute
// headway.partition. If the partition is an origin, they also have server.address and server.port, as
// http.client.request.duration does. If the program has named the Transport, they have headway.transport.
//
// These metrics count events:
//
//	headway.client.request.wait_time   histogram  s            headway.outcome: sent, resent, abandoned
//	headway.client.sent_requests       counter    {request}    requests sent for the first time
//	headway.client.resent_requests     counter    {request}    throttled requests that were sent again
//	headway.client.throttled_requests  counter    {request}    headway.policy, http.response.status_code,
//	                                                           headway.verdict: unknown, wait, only_this, never
//	headway.client.refused_requests    counter    {request}    headway.policy, error.type: deadline, max_wait
//	headway.client.abandoned_requests  counter    {request}    requests that gave up waiting
//	headway.client.waits               counter    {wait}       headway.policy, headway.cause: as headway.Cause
//	headway.client.ignored_fields      counter    {field}      headway.reason: malformed, too_long, …
//	headway.client.evicted_partitions  counter    {partition}  headway.reason: idle, full
//
// These describe the moment of the collection, for the partitions that are known then and that requests have used:
//
//	headway.client.queued_requests     updowncounter  {request}    requests that wait, also for the Ceiling
//	headway.client.active_requests     updowncounter  {request}    requests in flight
//	headway.client.longest_wait_time   gauge          s            age of the oldest request in the queue; 0: the queue is empty
//	headway.client.hold_time           gauge          s            time until the longest hold ends, of a partition or a limit; 0: no hold
//	headway.client.limit.quota         gauge          {unit}       headway.policy, headway.unit
//	headway.client.limit.remaining     gauge          {unit}       headway.policy, headway.unit
//	headway.client.pace                gauge          {request}/s  pace of the slowest partition; absent if no pace is known
//	headway.client.sending_rate        gauge          {request}/s  requests sent per second, averaged over about a minute
//	headway.client.partitions          updowncounter  {partition}  how many partitions have that name
//
// As the conventions require, the unit of a metric is in its metadata, not in its name, and counts are plural.
// queued_requests and active_requests are named after metrics of ASP.NET's rate limiter and of HTTP clients.
//
// headway.unit is what a quota counts, such as requests, content-bytes or tokens. Do not add up different units.
// headway.policy is the policy for which a request waits, because of which it is refused, or which it has violated. If
// there are several, it is the first. It is absent if the server reports no policy, or one without a name. waits counts
// each wait when it is over, with what the request has waited for last.
//
// # Time waited
//
// wait_time has one measurement each time that a request is sent: with the outcome sent for the first time, and resent
// after that. A request that gives up waiting is measured with the outcome abandoned. It gives up when its context ends, or
// when it was sent before and cannot be sent again in time.
//
// The measured time is headway's delay since the request was made or, if it was throttled, since the throttled response. A
// request without a delay counts as well, in the first bucket. No delay is measured twice, so the sum is the total delay of
// all requests. Only the wait of a request that is refused, and was never sent, is not measured.
//
// The advised bucket boundaries go from 1 ms, which stands for no delay, to an hour. A view can set others, or exponential
// buckets.
//
// # Attributes
//
// Servers choose the names of policies, and input of the program may choose partitions. So the number of both is bounded,
// see [Meter]. Everything beyond the bounds is summed under "(other)", with otel.metric.overflow=true, as an SDK does
// beyond its own bound. A policy or partition with the name "(other)" is added to this sum.
//
// With the default bounds, each metric has at most 35 sets of attributes for each partition. Only a hostile server reaches
// that number. throttled_requests has 10 for each status and verdict, usually at most three. SDKs allow 2000 sets in
// all. If all servers may be hostile, MaxPartitions = 50 keeps below that.
//
// The hash of credentials in a partition's name is left out, as it means nothing to other processes. So all users of one
// server are summed. Some numbers cannot be added up, such as quotas that may be one quota or several. Of these the metrics
// have the worst: quota and remaining of the limit with the smallest part left, the slowest pace, the longest hold and
// wait. This also applies to partition keys, and to Transports with the same name.
//
// For a [headway.Transport] in Shadow, the refusals and the number and causes of waits are those that headway would cause.
// Wait times are the real ones, next to nothing.
//
// No attribute contains a credential, a URL's path or query, or the value of a header field, unless the program's own
// function puts it into a partition's name. Events are recorded with the context of their request, so that exemplars lead
// to its span.
package otelheadway
