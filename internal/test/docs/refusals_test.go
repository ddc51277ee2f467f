package docs_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/validate"
)

var write = flag.Bool("write", false, "write the tables of docs/refusals.md")

// The tables of docs/refusals.md are those that the code reads.
func TestRefusals(t *testing.T) {
	const docs = page.Folder("../../../docs")
	read := func(name, format string) []validate.Profile {
		text, err := os.ReadFile("../../../validate/" + name)
		require.NoError(t, err)
		profiles, err := validate.ReadProfiles(fmt.Appendf(nil, format, text))
		require.NoError(t, err)
		return profiles
	}
	rows := [][]string{{"where", "value", "verdict", "source"}}
	for _, s := range read("signs.json", `{"host": "*", "signs": %s}`)[0].Signs {
		rows = append(rows, []string{place(&s), values(&s), s.Verdict.String(), s.Source})
	}
	kit.RequireTable(t, docs, "refusals.md", "signs", rows, *write)

	rows = [][]string{{"host", "status", "where", "value", "verdict"}}
	for _, p := range read("profiles.json", "%s") {
		for _, s := range p.Signs {
			status := strings.Trim(fmt.Sprint(s.Statuses), "[]")
			rows = append(rows, []string{p.Host, cmp.Or(status, "any refusal"), place(&s), values(&s), cmp.Or(s.Verdict, validate.VerdictWait).String()})
		}
	}
	kit.RequireTable(t, docs, "refusals.md", "host-signs", rows, *write)
}

func place(s *validate.Sign) string {
	switch {
	case s.Field != "":
		return "field `" + s.Field + "`"
	case s.Member != "":
		return "`" + s.Member + "`"
	}
	return "the body"
}

func values(s *validate.Sign) string {
	var all []string
	for _, value := range s.Values {
		all = append(all, "`"+value+"`")
	}
	if s.TimeUnit > 0 {
		all = append(all, "a time, a number in "+s.TimeUnit.String())
	}
	if s.Text != "" {
		all = append(all, "the text `"+s.Text+"`")
	}
	return strings.Join(all, ", ")
}
