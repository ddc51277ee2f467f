package parse

// readList reads a list field (RFC 9651 §4.2.1) into out. One syntax error
// empties out. An item that says what the field does not allow is left out, for
// the reason that meaning gives; dropped is the first of these.
func readList[T any](s *scanner, out *List[T], meaning func(*member) (T, error)) (dropped fault, err error) {
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err == nil && !more {
			return dropped, nil
		}
		var m member
		start := s.off
		if err == nil {
			err = s.item(&m)
		}
		if err != nil {
			*out = List[T]{}
			return fault{}, err
		}
		v, err := meaning(&m)
		if err != nil {
			dropped.note(start, err)
			continue
		}
		out.add(v)
	}
}
