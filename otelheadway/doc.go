// Package otelheadway exports what headway's Transports do as metrics for OpenTelemetry:
//
//	transport := &headway.Transport{}
//	meter := &otelheadway.Meter{Provider: provider}
//	err := meter.Instrument(transport, "") // before the first request
//
// It needs the metric API alone. There should be one [Meter] for each provider, as two would
// tell the same gauges.
//
// # Metrics
//
// Their names begin with headway.client, as those of HTTP clients do with http.client. All
// have the attributes headway.partition, where it is an origin also server.address and
// server.port, as http.client.request.duration has, and headway.transport if the
// program has given the Transport a name. What events count:
//
//	headway.client.request.wait_time   histogram  s            headway.outcome: sent, resent, abandoned
//	headway.client.sent_requests       counter    {request}    first sendings
//	headway.client.resent_requests     counter    {request}    sendings after that
//	headway.client.throttled_requests  counter    {request}    headway.policy, http.response.status_code
//	headway.client.refused_requests    counter    {request}    headway.policy, error.type: deadline, max_wait
//	headway.client.abandoned_requests  counter    {request}    gave up waiting
//	headway.client.waits               counter    {wait}       headway.policy, headway.cause: as headway.Cause
//	headway.client.ignored_fields      counter    {field}      headway.reason: malformed, too_long, …
//	headway.client.evicted_partitions  counter    {partition}  headway.reason: idle, full
//
// What is told at each collection, of the partitions that are known then:
//
//	headway.client.queued_requests     updowncounter  {request}    requests that wait, also for the Ceiling
//	headway.client.active_requests     updowncounter  {request}    requests in flight
//	headway.client.longest_wait_time   gauge          s            age of the request that has waited longest in the queue; 0: none is there
//	headway.client.hold_time           gauge          s            what is left of the longest hold, of a partition or a limit; 0: none
//	headway.client.limit.quota         gauge          {unit}       headway.policy, headway.unit
//	headway.client.limit.remaining     gauge          {unit}       headway.policy, headway.unit
//	headway.client.pace                gauge          {request}/s  pace of the slowest; absent where none is known
//	headway.client.sending_rate        gauge          {request}/s  own rate, averaged over about a minute
//	headway.client.partitions          updowncounter  {partition}  how many partitions have that name
//
// The unit of a metric is in its metadata and not in its name, and a count is plural, as the
// conventions have it; queued_requests and active_requests are named after those of ASP.NET's rate
// limiter and of HTTP. headway.unit is what a quota counts, such as requests, content-bytes or
// tokens: do not add over it. headway.policy is that which a request waits for, is refused because
// of, or has violated, of several the first; it is absent if none is told, or it has no name.
//
// # Time waited
//
// Each sending of a request is one measurement, with the outcome sent if it is the first and
// resent if not, and so is each that gives up waiting, abandoned: its context has ended or, if it
// was sent before, it cannot be sent again in time. It has the time that the request
// was kept from the wire since it was made or, if it was throttled, since that response. Also if
// that is none: it is in the first bucket. So nothing is in two of them, and they can be added
// up: the sum of all is how long requests were kept from the wire. Only what a request has waited
// that is then refused, without having been sent before, is in none of them.
//
// The boundaries that are advised go from 1 ms, which stands for no time, to an hour. A
// view can have others, or exponential buckets.
//
// # Attributes
//
// Servers choose the names of policies, and a program's input may choose partitions, so
// both are bounded: see [Meter]. The rest is summed under "(other)", with otel.metric.overflow=true,
// as an SDK sums what is beyond its own bound; so is one that is called so. With the defaults no
// metric has more than 35 sets of attributes for each partition, and that only if its server is
// hostile; throttled_requests has 10 for each status that refuses, of which there are seldom more than
// three. SDKs allow 2000 in all, so if all servers may be hostile, 50 as MaxPartitions leaves
// their bound alone. The hash of credentials in a partition's name is left out, because it means
// nothing to another process; what users of one server do is summed. Where a sum says
// nothing, as of quotas that may be one or many, the worst is told: quota and remaining of
// the limit of which the smallest part is left, the pace of the slowest, the longest hold
// and wait. The same holds for partition keys and for Transports of one name.
//
// Of a [headway.Transport] in Shadow, refusals, and the number and causes of waits, are those
// that would be; time waited is what it is, next to none.
//
// No attribute holds a credential, a URL's path or query, or the value of a header field, unless
// a function of the program's has put it into the name of a partition. Events are recorded with the
// context of their request, so that exemplars lead to its span.
package otelheadway
