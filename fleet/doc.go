// Package fleet lets processes that use the same credentials share the quotas of these
// exactly, by way of a Redis or Valkey server that all of them reach.
//
// Without it each [headway.Transport] makes out its share of a quota from what the server
// tells, and such shares come out about even. With it processes agree on them: who has
// nothing to send gives its part away, and those who have more than they may send divide
// the rest evenly, to the unit.
//
//	client := redis.NewClient(&redis.Options{Addr: "redis:6379"})
//	f, err := fleet.New(client, fleet.Options{Key: key}) // the same key in all processes
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	transport := &headway.Transport{Fleet: f}
//
// A Fleet serves as many Transports as a program has; they are renewed one after the other, so use
// one where the store is far away. For it to be of use, what stands for
// the same quota must have the same partition in all processes, see
// [headway.DefaultPartition].
//
// # How it works
//
// The store is on no request's way. About once a second a Fleet tells it what this process
// uses of each partition in which there have been requests in the last half minute, and
// reads what its part is; while requests wait that could have more, up to four times a second.
// Whichever member comes when that is due divides the quotas of a partition anew, and
// writes down the part of each. Nobody gets more before others have been told that they have
// less, so parts do not add up to more than the quota, but for moments in which answers of the store
// are lost.
//
// A part of a limit with windows is a number of units of the window that is open, and of those
// that follow; what somebody turns out not to need goes to others while it is still open, unless
// windows are shorter than four seconds. Where there are fewer units than members they take turns. A
// part of a limit that refills is a share of its pace; that it refills holds for all as soon as one
// member has found that. Limits on requests in flight are not shared.
//
// Members tell each other of holds, too, and what the server told last: a 429 that
// one of them meets stops all. Times are those of the store, so that the clocks of hosts do not
// matter.
//
// A process that begins has its first part within a second or so of the answer that tells it
// the limit, and sends nothing more before, for a second at most. The part of one
// that closes its Fleet goes to the others with their next renewals, that of one that crashes after
// three seconds.
//
// # When the store is lost
//
// No request fails because of the store, but for those that cannot wait the second in which a
// first part may come. Where it is slow, gone, or out of reach for some,
// each process goes on with the part that it was told last for three seconds, and then by
// what the server tells, where that part is what it begins with. The Trace and the Logger
// of each Transport are told once that the store cannot be reached, and once that it is
// again. (go-redis has a log of its own, see its SetLogger. For a Cluster set MaxRedirects and
// DialerRetries to 1, so that a node that is down does not keep the others' answers back for longer
// than a renewal may take.) [headway.PartitionState] tells how many members share a partition, and
// [headway.LimitState] whether a share is agreed on. A store that comes back empty is filled
// by the next renewals, and members keep the parts that they have until all of them can be known,
// for ten seconds at most.
//
// # What the store has
//
// There is one hash for each partition, under "headway:1:{name}". In it are numbers of units,
// times, and random names of processes. The name of a partition is an HMAC of the
// origin and the credentials, that of a limit one of what the server calls it; both are made
// with a key that is derived from [Options.Key]. Who can read the store and does not have that
// cannot tell what server is talked to, or with which credentials. Who can write to it can make the
// fleet slow or unfair, but what the server itself tells still bounds each process. Values are
// versioned and bounded, and those that cannot be are ignored.
//
// A hash expires when nobody has renewed it for twice its longest window, a minute at least
// and an hour at most. Nothing needs to be kept on disk. On a cluster a hash is on one node. A user
// of the store who may do nothing else needs EVAL, EVALSHA, and for the scripts TIME, DEL, HDEL,
// HEXISTS, HGET, HGETALL, HLEN, HSET and PEXPIRE. It is Redis 5 or later, or Valkey.
//
// What the store is asked for grows with processes and the partitions that each has in use,
// not with requests: one script for each of these at each renewal, in pipelines, and one
// more for each agreement. Up to 1024 partitions of a Transport are shared, each by up to 4096
// members; what is more goes by what the server tells.
package fleet
