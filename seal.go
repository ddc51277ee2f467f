package headway

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
	snapshotMagic   = "headway snapshot "
	snapshotVersion = "3"
	// maxSnapshot bounds a snapshot. What was used longest ago is left out.
	maxSnapshot = 16 << 20
	// leastSnapshotKey is how short a SnapshotKey may be, in bytes.
	leastSnapshotKey = 16
)

// A savedPartition is one partition in a snapshot.
type savedPartition struct {
	Name  identity.Name
	Idle  time.Duration // since a request last left
	Pacer []byte        // as package pacer writes it
}

// snapshotKeys are what the SnapshotKey is used for. It is not kept itself.
type snapshotKeys struct {
	names  identity.NameKey
	sealed []byte
	id     string // tells one SnapshotKey from another
}

func newSnapshotKeys(secret []byte) snapshotKeys {
	derive := func(purpose string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte("headway snapshot: " + purpose))
		return mac.Sum(nil)
	}
	return snapshotKeys{names: derive("names"), sealed: derive("seal"), id: hex.EncodeToString(derive("id")[:8])}
}

func (s *snapshotKeys) header() string { return snapshotMagic + snapshotVersion + " " + s.id + "\n" }

// mac returns the last line of a snapshot.
func (s *snapshotKeys) mac(lines []byte) string {
	mac := hmac.New(sha256.New, s.sealed)
	mac.Write(lines)
	return hex.EncodeToString(mac.Sum(nil)) + "\n"
}

// macLength is the length of the last line.
const macLength = 2*sha256.Size + 1

// seal writes a snapshot.
func (s *snapshotKeys) seal(taken time.Time, all []savedPartition) ([]byte, error) {
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
		if lines.Len()+macLength > maxSnapshot {
			lines.Truncate(before)
			break
		}
	}
	lines.WriteString(s.mac(lines.Bytes()))
	return lines.Bytes(), nil
}

// open reads a snapshot, all of it or nothing.
func (s *snapshotKeys) open(data []byte) (taken time.Time, all []savedPartition, err error) {
	lines, err := s.verify(data)
	if err != nil {
		return taken, nil, err
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
		if i == 0 {
			err = json.Unmarshal(line, &taken)
		} else {
			all = append(all, savedPartition{})
			err = json.Unmarshal(line, &all[i-1])
		}
		if err != nil {
			return taken, nil, ErrSnapshotDamaged
		}
	}
	return taken, all, nil
}

// verify returns the lines of JSON of a snapshot that is whole, of this version, and
// made with this key.
func (s *snapshotKeys) verify(data []byte) (lines []byte, err error) {
	head, lines, isWhole := bytes.Cut(data, []byte("\n"))
	header := string(head[:min(len(head), 2*len(s.header()))])
	marks, isSnapshot := strings.CutPrefix(header, snapshotMagic)
	version, id, _ := strings.Cut(marks, " ")
	switch {
	case !isWhole && strings.HasPrefix(s.header(), header):
		return nil, ErrSnapshotDamaged // cut off
	case !isSnapshot:
		return nil, ErrSnapshotForeign
	case version != snapshotVersion:
		return nil, ErrSnapshotVersion
	case id != s.id:
		return nil, ErrSnapshotForeign
	case len(data) > maxSnapshot, len(lines) < macLength:
		return nil, ErrSnapshotDamaged
	}
	end := len(data) - macLength
	if !hmac.Equal(data[end:], []byte(s.mac(data[:end]))) {
		return nil, ErrSnapshotDamaged
	}
	return lines[:len(lines)-macLength], nil
}
