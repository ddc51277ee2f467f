package replay

// A Buffer holds the beginning of a body. The zero value stores nothing.
type Buffer struct {
	budget *Budget // nil: nothing is stored
	data   []byte  // its capacity is reserved from budget
	cut    bool    // the body was longer
}

// leastCapacity is the first capacity, in bytes.
const leastCapacity = 512

// add appends text. If the budget has no room for all of it, add appends the beginning, and nothing after that.
func (b *Buffer) add(text []byte) {
	if b.cut {
		return
	}
	need := len(b.data) + len(text)
	if need > cap(b.data) && !b.grow(max(need, 2*cap(b.data), leastCapacity)) {
		text, b.cut = text[:cap(b.data)-len(b.data)], true
	}
	b.data = append(b.data, text...)
}

// grow increases the capacity to size bytes, if the budget allows it.
func (b *Buffer) grow(size int) bool {
	if b.budget == nil || !b.budget.reserve(size-cap(b.data)) {
		return false
	}
	data := make([]byte, len(b.data), size)
	copy(data, b.data)
	b.data = data
	return true
}

// trim gives unused capacity back to the budget.
func (b *Buffer) trim() {
	unused := cap(b.data) - len(b.data)
	if unused == 0 {
		return
	}
	data := make([]byte, len(b.data))
	copy(data, b.data)
	b.data = data
	b.budget.giveBack(unused)
}

// Free gives the bytes back to the budget, once the response is handed on or dropped. It may be
// called more than once, but not concurrently.
func (b *Buffer) Free() {
	if b.budget != nil {
		b.budget.giveBack(cap(b.data))
		*b = Buffer{}
	}
}
