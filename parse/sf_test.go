package parse

// An sfMember is a node in a tree of structured-field values. The tree is read with the productions that
// the field readers use, so that the productions can be checked against the whole of RFC 9651.

type sfMember struct {
	value  bare       // if the kind is kindInnerList: see inner
	inner  []sfMember // items; an inner list has no inner lists
	params []sfPair
}

type sfPair struct {
	key    string
	member sfMember
}

func sfList(value string) ([]sfMember, error) {
	s := scanner{s: value}
	members := []sfMember{}
	for n := 0; ; n++ {
		hasNext, err := s.next(n)
		if err != nil || !hasNext {
			return members, err
		}
		m, err := s.sfMember()
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
}

func sfDictionary(value string) ([]sfPair, error) {
	s := scanner{s: value}
	pairs := []sfPair{}
	for n := 0; ; n++ {
		hasNext, err := s.next(n)
		if err != nil || !hasNext {
			return pairs, err
		}
		key, err := s.key()
		if err != nil {
			return nil, err
		}
		var m sfMember
		if s.accept('=') {
			m, err = s.sfMember()
		} else {
			m.value = bare{kind: kindBoolean, num: 1}
			m.params, err = s.sfParams()
		}
		if err != nil {
			return nil, err
		}
		pairs = sfSet(pairs, key, m)
	}
}

func sfItem(value string) (m sfMember, err error) {
	s := scanner{s: value}
	s.skipSP()
	if err := s.bareItem(&m.value); err != nil {
		return m, err
	}
	if m.params, err = s.sfParams(); err != nil {
		return m, err
	}
	s.skipSP()
	if !s.eof() {
		return m, ErrSyntax
	}
	return m, nil
}

func (s *scanner) sfMember() (m sfMember, err error) {
	if !s.at('(') {
		err = s.bareItem(&m.value)
	} else {
		m.value.kind = kindInnerList
		m.inner, err = s.sfInner()
	}
	if err != nil {
		return m, err
	}
	m.params, err = s.sfParams()
	return m, err
}

func (s *scanner) sfInner() ([]sfMember, error) {
	items := []sfMember{}
	for n := 0; ; n++ {
		hasNext, err := s.nextInner(n)
		if err != nil || !hasNext {
			return items, err
		}
		var m sfMember
		if err := s.bareItem(&m.value); err != nil {
			return nil, err
		}
		if m.params, err = s.sfParams(); err != nil {
			return nil, err
		}
		items = append(items, m)
	}
}

func (s *scanner) sfParams() ([]sfPair, error) {
	pairs := []sfPair{}
	for n := 0; ; n++ {
		key, hasNext, err := s.nextParam(n)
		if err != nil || !hasNext {
			return pairs, err
		}
		var m sfMember
		if err := s.paramValue(&m.value); err != nil {
			return nil, err
		}
		pairs = sfSet(pairs, key, m)
	}
}

// sfSet overwrites the value of a key in its place, or appends the pair.
func sfSet(pairs []sfPair, key string, m sfMember) []sfPair {
	for i := range pairs {
		if pairs[i].key == key {
			pairs[i].member = m
			return pairs
		}
	}
	return append(pairs, sfPair{key, m})
}
