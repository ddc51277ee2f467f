package main

import (
	"bytes"
	"encoding/json"
)

var (
	_ json.Marshaler = count(0)
	_ json.Marshaler = span(0)
	_ json.Marshaler = rate(0)
)

// json returns the report as a JSON document in ASCII.
func (r *report) json() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return ascii(b.Bytes()), nil
}
