package pacer

import "unsafe"

// identitySize is what the table of unique keeps of a name, besides its bytes: more counts names that many
// partitions share too often, less counts too little where each has its own.
const identitySize = 192

// Size estimates how many bytes the partition keeps, itself included. It takes some nanoseconds for each limit,
// 24 at most, so that it can be asked after each answer; only that and Send, Apportion,
// Forget and Unlearn change it. It
// allocates nothing. Names that other partitions have, too, count for each of them. What is in flight has
// tickets, which do not count.
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

// has is the size of what a pointer points to.
func has[T any](at *T) int {
	if at == nil {
		return 0
	}
	return sizeOf(*at)
}

func sizeOf[T any](of T) int { return int(unsafe.Sizeof(of)) }
