package pacer

import "unsafe"

// identitySize is the memory of one entry in the table of package unique, without the name. More: counts too
// much for names that many partitions share. Less: too little for names of one partition.
const identitySize = 192

// Size estimates how many bytes the partition occupies, itself included. It takes some nanoseconds for each
// limit, at most 24, and allocates nothing, so it can be called after each response. These may change it: a
// response, Send, Take, Describe, Apportion, Forget and Unlearn. Names that several partitions share count for each
// of them. Tickets of requests in flight do not count.
func (p *Partition) Size() int {
	n := sizeOf(*p) + cap(p.limits)*sizeOf(limit{})
	for _, l := range p.each(p.live) {
		id := l.id.Value()
		n += identitySize + len(id.policy) + len(id.key) + has(l.kept) + has(l.past().period) + has(l.estimate) + has(l.part)
	}
	for _, name := range p.Units() {
		n += sizeOf(name) + len(name)
	}
	if n += has(p.gate) + has(p.rare) + has(p.trial) + has(p.routes); p.routes != nil {
		n += cap(p.routes.others) * sizeOf(route{})
	}
	return n
}

// has returns the size of the value that a pointer points to.
func has[T any](at *T) int {
	if at == nil {
		return 0
	}
	return sizeOf(*at)
}

func sizeOf[T any](of T) int { return int(unsafe.Sizeof(of)) }
