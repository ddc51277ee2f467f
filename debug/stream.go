package debug

import (
	"bufio"
	"encoding/json"
	"io"
	"time"
)

// A stream writes a Report piece by piece. So a Report on many partitions needs little more memory than their
// State.
type stream struct {
	to *bufio.Writer
	*json.Encoder
}

// writeReport writes the Report on the partitions that match the filter. It returns the first error of w, and
// then stops.
func writeReport(w io.Writer, now time.Time, sources []source, f filter) error {
	to := bufio.NewWriter(w)
	s := stream{to, json.NewEncoder(to)}
	if err := s.open(Report{Version: Version, Time: moment(now)}); err != nil {
		return err
	}
	for i, src := range sources {
		if err := s.transport(i, now, src, f); err != nil {
			return err
		}
	}
	s.text("]}\n")
	return to.Flush()
}

func (s *stream) transport(i int, now time.Time, src source, f filter) error {
	s.comma(i)
	if err := s.open(Transport{Name: src.name, Shadow: src.transport.Shadow}); err != nil {
		return err
	}
	written := 0
	states := src.transport.State()
	for i := range states {
		if !f.matches(states[i].Partition) {
			continue
		}
		s.comma(written)
		written++
		if err := s.Encode(newPartition(now, &states[i])); err != nil {
			return err
		}
	}
	s.text("]}")
	return nil
}

// open writes the JSON of v up to the items of its last member, which must be a nil list.
func (s *stream) open(v any) error {
	const end = "null}"
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.text(string(text[:len(text)-len(end)]) + "[\n")
	return nil
}

// comma writes a comma, unless the next item is the first one.
func (s *stream) comma(before int) {
	if before > 0 {
		s.text(",")
	}
}

// text ignores the error, as Encode or Flush will return it.
func (s *stream) text(text string) { _, _ = s.to.WriteString(text) }
