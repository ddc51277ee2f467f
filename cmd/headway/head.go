package main

import (
	"net/http"
	"strings"
)

// A headReader reads the lines of one head of a recording.
type headReader struct {
	*recording
	head
	name  string // the current field; "" if there is none
	value []string
}

// status reads the status line.
func (h *headReader) status(line string) {
	h.head, _ = statusLine(line)
	h.header = http.Header{}
}

// field reads a line. A line that begins with a space continues the previous field (RFC 9112 §5.2). A line
// that is not a field is skipped and counted.
func (h *headReader) field(line string) {
	isContinued := line[0] == ' ' || line[0] == '\t'
	if isContinued && h.name != "" {
		h.value = append(h.value, strings.Trim(line, " \t"))
		return
	}
	h.endField()
	name, value, found := strings.Cut(line, ":")
	if !found || !validName(name) {
		h.skipped++
		return
	}
	h.name, h.value = name, []string{strings.Trim(value, " \t")}
}

func (h *headReader) endField() {
	if h.name != "" {
		h.header.Add(h.name, strings.Join(h.value, " "))
	}
	h.name, h.value = "", nil
}

// end adds the head to the recording.
func (h *headReader) end() {
	h.endField()
	h.heads = append(h.heads, h.head)
}
