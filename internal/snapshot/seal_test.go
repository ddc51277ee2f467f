package snapshot

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/test/kit"
)

// A snapshot above mostBytes leaves out the partitions that were used longest ago.
func TestLargeSnapshot(t *testing.T) {
	s := newShelf()
	all := make([]saved, 100)
	for i := range all {
		all[i] = saved{Name: identity.Name(fmt.Sprint(i)), Pacer: fmt.Appendf(nil, "%q", bytes.Repeat([]byte("x"), mostBytes/50-10))}
	}
	data, err := s.keys.seal(time.Now(), all)
	require.NoError(t, err)
	require.Less(t, len(data), mostBytes)
	_, opened, err := s.keys.open(data)
	require.NoError(t, err)
	names := []identity.Name{}
	for i := range opened {
		names = append(names, opened[i].Name)
	}
	require.Len(t, names, 49)
	require.Equal(t, identity.Name("0"), names[0])
	require.Equal(t, identity.Name("48"), names[48])

	lines, err := s.keys.verify(data)
	require.NoError(t, err)
	large := append([]byte(s.keys.header()), lines...)
	large = append(large, bytes.Repeat([]byte(" "), mostBytes-len(large))...)
	large = append(large, "{}\n"...)
	require.ErrorIs(t, s.Open(append(large, s.keys.mac(large)...), maxReset), ErrDamaged)
}

// A snapshot that was sealed with another secret gives ErrForeign, and nothing else.
func TestSecretsAreApart(t *testing.T) {
	one, other := newKeys(kit.Secret()), newKeys([]byte("another secret, of any length"))
	data, err := one.seal(time.Now(), nil)
	require.NoError(t, err)
	_, _, err = other.open(data)
	require.ErrorIs(t, err, ErrForeign)
	_, _, err = one.open(data)
	require.NoError(t, err)
	require.NotEqual(t, one.names.Of("origin", "a"), other.names.Of("origin", "a"))
	for _, key := range []keys{one, other} {
		require.NotEqual(t, []byte(key.names), key.sealed)
		require.NotContains(t, string(data), string(key.sealed))
		require.NotContains(t, string(data), string(key.names))
	}
}

// A sealed snapshot with invalid content is refused completely.
func TestSealedNonsense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, lines := range []string{
			"", "\n", "{}\n", "\"2000-01-01T00:00:00Z\"\n{\n", "\"2000-01-01T00:00:00Z\"\n[]\n",
			"\"2000-01-01T00:00:00Z\"\n\n\n",
		} {
			s := newShelf()
			data := s.keys.sealLines([]byte(lines))
			require.ErrorIs(t, s.Open(data, maxReset), ErrDamaged, lines)
			require.Empty(t, s.restored)
		}
	})
}

// sealLines seals any lines with the secret.
func (s *keys) sealLines(lines []byte) []byte {
	data := append([]byte(s.header()), lines...)
	return append(data, s.mac(data)...)
}

// A year of five digits cannot be sealed.
func TestSealOfNoTime(t *testing.T) {
	s := newShelf()
	_, err := s.keys.seal(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), nil)
	require.Error(t, err)
}
