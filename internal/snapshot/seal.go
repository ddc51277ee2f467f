package snapshot

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/identity"
)

// A snapshot is text: a line that says what it is, of which version, and which
// key it was made with; a line of JSON with the time when it was taken, and one for
// each partition, those used last first; and the HMAC-SHA-256 of all that.
//
//	headway snapshot 3 0123456789abcdef
//	"2026-03-04T12:00:00Z"
//	{"Name":"…","Idle":5000000000,"Pacer":"…"}
//	b6c1…
//
// The version changes whenever another one could misread it.
const (
	magic  = "headway snapshot "
	format = "3"
	// mostBytes bounds a snapshot. What was used longest ago is left out.
	mostBytes = 16 << 20
	// leastSecret is how short a secret may be, in bytes.
	leastSecret = 16
)

// A saved is one partition in a snapshot.
type saved struct {
	Name  identity.Name
	Idle  time.Duration // since a request last left
	Pacer []byte        // as package pacer writes it
}

// keys are what the secret is used for. It is not kept itself.
type keys struct {
	names  identity.NameKey
	sealed []byte
	id     string // tells one secret from another
}

func newKeys(secret []byte) keys {
	derive := func(purpose string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte("headway snapshot: " + purpose))
		return mac.Sum(nil)
	}
	return keys{names: derive("names"), sealed: derive("seal"), id: hex.EncodeToString(derive("id")[:8])}
}

func (s *keys) header() string { return magic + format + " " + s.id + "\n" }

// mac returns the last line of a snapshot.
func (s *keys) mac(lines []byte) string {
	mac := hmac.New(sha256.New, s.sealed)
	mac.Write(lines)
	return hex.EncodeToString(mac.Sum(nil)) + "\n"
}

// macLength is the length of the last line.
const macLength = 2*sha256.Size + 1

// seal writes a snapshot.
func (s *keys) seal(taken time.Time, all []saved) ([]byte, error) {
	var lines bytes.Buffer
	lines.WriteString(s.header())
	body := json.NewEncoder(&lines)
	if err := body.Encode(taken.UTC()); err != nil {
		return nil, err // years of five digits have no form
	}
	for i := range all {
		before := lines.Len()
		if err := body.Encode(&all[i]); err != nil {
			return nil, err
		}
		if lines.Len()+macLength > mostBytes {
			lines.Truncate(before)
			break
		}
	}
	lines.WriteString(s.mac(lines.Bytes()))
	return lines.Bytes(), nil
}

// open reads a snapshot, all of it or nothing.
func (s *keys) open(data []byte) (taken time.Time, all []saved, err error) {
	lines, err := s.verify(data)
	if err != nil {
		return taken, nil, err
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
		if i == 0 {
			err = json.Unmarshal(line, &taken)
		} else {
			all = append(all, saved{})
			err = json.Unmarshal(line, &all[i-1])
		}
		if err != nil {
			return taken, nil, ErrDamaged
		}
	}
	return taken, all, nil
}

// verify returns the lines of JSON of a snapshot that is whole, of this version, and
// made with this key.
func (s *keys) verify(data []byte) (lines []byte, err error) {
	head, lines, isWhole := bytes.Cut(data, []byte("\n"))
	header := string(head[:min(len(head), 2*len(s.header()))])
	marks, isSnapshot := strings.CutPrefix(header, magic)
	version, id, _ := strings.Cut(marks, " ")
	switch {
	case !isWhole && strings.HasPrefix(s.header(), header):
		return nil, ErrDamaged // cut off
	case !isSnapshot:
		return nil, ErrForeign
	case version != format:
		return nil, ErrVersion
	case id != s.id:
		return nil, ErrForeign
	case len(data) > mostBytes, len(lines) < macLength:
		return nil, ErrDamaged
	}
	end := len(data) - macLength
	if !hmac.Equal(data[end:], []byte(s.mac(data[:end]))) {
		return nil, ErrDamaged
	}
	return lines[:len(lines)-macLength], nil
}
