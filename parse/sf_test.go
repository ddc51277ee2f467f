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
	for n := 0; s.member(n); n++ {
		members = append(members, s.sfMember())
	}
	return members, s.err
}

func sfDictionary(value string) ([]sfPair, error) {
	s := scanner{s: value}
	pairs := []sfPair{}
	for n := 0; s.member(n); n++ {
		key := s.key()
		m := sfMember{value: bare{kind: kindBoolean, num: 1}}
		if s.accept('=') {
			m = s.sfMember()
		} else {
			m.params = s.sfParams()
		}
		pairs = sfSet(pairs, key, m)
	}
	return pairs, s.err
}

func sfItem(value string) (sfMember, error) {
	s := scanner{s: value}
	s.skipSP()
	m := s.sfBare()
	s.skipSP()
	if !s.eof() {
		s.fail(ErrSyntax)
	}
	return m, s.err
}

func (s *scanner) sfBare() sfMember { return sfMember{value: s.bareItem(), params: s.sfParams()} }

func (s *scanner) sfMember() (m sfMember) {
	if s.next() != '(' {
		return s.sfBare()
	}
	m.value.kind, m.inner = kindInnerList, []sfMember{}
	for n := 0; s.inner(n); n++ {
		m.inner = append(m.inner, s.sfBare())
	}
	m.params = s.sfParams()
	return m
}

func (s *scanner) sfParams() []sfPair {
	pairs := []sfPair{}
	for key, value := range s.params {
		pairs = sfSet(pairs, key, sfMember{value: value})
	}
	return pairs
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
