// Package fleet lets processes that use the same credentials share their quotas exactly. They meet in a folder of one machine
// ([Local]), or in a Redis or Valkey server that all of them can reach (package redisfleet).
//
// Without a Fleet, each [headway.Transport] estimates its share of a quota from what the server reports. Such
// shares come out about even. With a Fleet the processes agree on their shares. The division is max-min fair: a
// process with little to send gives the rest of its share away, and the busy processes divide what remains
// evenly, to the unit.
//
//	dir, err := fleet.UserDir("api.example.com") // the same in all processes
//	if err != nil {
//		return err
//	}
//	f, err := fleet.Local(dir, fleet.Options{})
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	transport := &headway.Transport{Fleet: f}
//
// One Fleet can serve all Transports of a program. It renews them one after the other, so a program with a
// distant store should have only one Transport. All processes must give the same partition to requests that
// share a quota, see [headway.DefaultPartition].
//
// # How it works
//
// No request waits for the store. About once a second, a Fleet reports to the store what this process uses of
// each active partition, and reads this process's part. A partition is active while it has requests, and for
// half a minute after that. While requests wait that a larger part could let go, the Fleet renews up to four
// times a second. When a new division is due, the next member that renews makes it: it divides the quotas of the
// partition and writes down the part of each member. A part is raised only after other members have learned that
// theirs is smaller. So the parts never add up to more than the quota, except for moments in which responses of
// the store are lost.
//
// A part of a limit with windows is a number of units of the open window, and a number for later windows. Units
// that a member turns out not to need go to others while the window is open, unless windows are shorter than
// four seconds. If there are fewer units than members, the members take turns. If the server does not report
// how long the window is, it is as long as the longest reset that any member was told of late. A part of a
// refilling limit, such as a token bucket, is a share of its pace. As soon as one member finds that a limit
// refills, all members treat it so. Limits on concurrent requests are not shared.
//
// Members also share holds and the server's last report: a 429 to one member stops all. Times in the store are
// those of the store's clock, so the clocks of hosts do not matter.
//
// A new process gets its first part about a second after the first response that reports the limit. Until then
// it sends nothing more, but waits for a second at most. When a process closes its Fleet, its part goes to the
// others with their next renewals. When a process crashes, its part goes to the others after three seconds.
//
// # When the store is lost
//
// No request fails because of the store, except a request that cannot wait the second in which a first part may
// come. If the store is slow, gone, or out of reach for some processes, each of these keeps its last part for
// three seconds. After that it estimates its share from the server's reports again, and starts from its last
// part. The Trace and the Logger of each Transport report that the store cannot be reached, again every ten
// minutes, and once that it can be reached again.
//
// [headway.PartitionState] says how many members share a partition and what is wrong with the Fleet, and
// [headway.LimitState] whether a share is agreed on. If the store comes back empty, the next renewals fill it. Members keep their parts until all
// members are known again, for ten seconds at most.
//
// # What the store has
//
// The store has numbers of units, times, and random names of processes. A partition's name is an HMAC of the origin and the
// credentials. A limit's name is an HMAC of the server's name for the limit. Both use a key derived from [Options.Key]. One more
// partition, "keys", has an HMAC for each key, so that members find out that others have another key, see [ErrOtherKey]. So
// whoever can read the store, but does not have the key, cannot find out the servers or the credentials. Whoever can write to
// the store can make the fleet slow or unfair, but each process still keeps to what the server itself reports. Values are
// versioned and bounded, and impossible values are ignored.
//
// A folder has a file for each partition, which is replaced whole under a lock. Files that nobody has renewed for hours are
// removed by the next process that begins. The store need not keep anything on disk.
//
// The load of the store grows with the processes and with the active partitions of each, not with requests. A Transport shares
// up to 1024 partitions, each with up to 4096 members. Partitions and members beyond these bounds estimate their shares from the
// server's reports.
package fleet
