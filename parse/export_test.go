package parse

// ExactNames returns the names in the tables, and Prefixes the beginnings of names.
func ExactNames() (names []string) {
	for name := range exactNames {
		names = append(names, name)
	}
	return names
}

func Prefixes() (all []string) {
	for _, p := range prefixes {
		all = append(all, p.prefix)
	}
	return all
}
