package replay

// Kept is what was kept of a body. The zero value keeps nothing.
type Kept struct {
	budget *Budget // nil: nothing is to be kept
	data   []byte  // its capacity is reserved
	cut    bool    // there was more
}

// leastKept is how much room is made at first, in bytes.
const leastKept = 512

// add keeps text, or the beginning of it that there is room for; then nothing more.
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

// grow makes room for size bytes in all, within the budget.
func (k *Kept) grow(size int) bool {
	if k.budget == nil || !k.budget.reserve(size-cap(k.data)) {
		return false
	}
	data := make([]byte, len(k.data), size)
	copy(data, k.data)
	k.data = data
	return true
}

// trim gives back the room that was not needed.
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

// Free gives back to the budget, once the response is handed on or dropped. It may be
// called more than once, but not concurrently.
func (k *Kept) Free() {
	if k.budget != nil {
		k.budget.giveBack(cap(k.data))
		*k = Kept{}
	}
}
