package replay

// Kept is the part of a body that is kept. The zero value keeps nothing.
type Kept struct {
	budget *Budget // nil: keep nothing
	data   []byte  // its capacity is reserved from budget
	cut    bool    // the body was longer
}

// leastKept is the first capacity, in bytes.
const leastKept = 512

// add keeps text. If the budget has no room for all of it, add keeps the beginning, and nothing after that.
func (k *Kept) add(text []byte) {
	if k.cut {
		return
	}
	need := len(k.data) + len(text)
	if need > cap(k.data) && !k.grow(max(need, 2*cap(k.data), leastKept)) {
		text, k.cut = text[:cap(k.data)-len(k.data)], true
	}
	k.data = append(k.data, text...)
}

// grow increases the capacity to size bytes, if the budget allows it.
func (k *Kept) grow(size int) bool {
	if k.budget == nil || !k.budget.reserve(size-cap(k.data)) {
		return false
	}
	data := make([]byte, len(k.data), size)
	copy(data, k.data)
	k.data = data
	return true
}

// trim gives unused capacity back to the budget.
func (k *Kept) trim() {
	spare := cap(k.data) - len(k.data)
	if spare == 0 {
		return
	}
	data := make([]byte, len(k.data))
	copy(data, k.data)
	k.data = data
	k.budget.giveBack(spare)
}

// Free gives the bytes back to the budget, once the response is handed on or dropped. It may be
// called more than once, but not concurrently.
func (k *Kept) Free() {
	if k.budget != nil {
		k.budget.giveBack(cap(k.data))
		*k = Kept{}
	}
}
