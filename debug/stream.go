package debug

import (
	"bufio"
	"encoding/json"
	"io"
	"time"
)

// A stream writes a Report piece by piece, so that one of many partitions needs no
// more memory than State itself does.
type stream struct {
	to *bufio.Writer
	*json.Encoder
}

// writeReport writes the Report on what the filter lets through. It returns the first
// error of w, after which nothing is written.
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

// open writes what comes before the items of the last member of v, which is a list and nil.
func (s *stream) open(v any) error {
	const end = "null}"
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.text(string(text[:len(text)-len(end)]) + "[\n")
	return nil
}

// comma separates an item from those before it.
func (s *stream) comma(before int) {
	if before > 0 {
		s.text(",")
	}
}

// text writes without a look at the error, which Encode or Flush returns later.
func (s *stream) text(text string) { _, _ = s.to.WriteString(text) }
