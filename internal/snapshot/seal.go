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

// A snapshot is text. The first line has the magic word, the version of the format and the id of the secret. The second
// line has the time of the snapshot, in JSON. Then follows one line of JSON for each partition, the most recently used
// first. The last line is the HMAC-SHA-256 of all lines before.
//
//	headway snapshot 5 0123456789abcdef
//	"2026-03-04T12:00:00Z"
//	{"Name":"…","Idle":5000000000,"Pacer":{…}}
//	b6c1…
//
// The version changes whenever code of an older version could misread the format.
const (
	magic  = "headway snapshot "
	format = "5"
	// mostBytes bounds a snapshot. It leaves out the partitions that were used longest ago.
	mostBytes = 16 << 20
	// leastSecret is the shortest secret, in bytes.
	leastSecret = 16
)

// A saved is one partition in a snapshot.
type saved struct {
	Name  identity.Name
	Idle  time.Duration   // since the last request
	Pacer json.RawMessage // the pacer's own format
}

// keys are derived from the secret, which is not kept.
type keys struct {
	names  identity.NameKey
	sealed []byte
	id     string // identifies the secret
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
		return nil, err // a year of five digits
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

// open reads a snapshot completely, or returns an error.
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

// verify returns the lines of JSON of a snapshot that is complete, of this version and sealed with this secret.
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
