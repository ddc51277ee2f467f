package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSimpleItem(t *testing.T) {
	for _, c := range []struct {
		name  string
		value string
		ok    bool
	}{
		{name: "draft 10", value: `"default";r=50;t=30`, ok: true},
		{name: "spaces", value: `"a"; r=1; t=5`, ok: true},
		{name: "15 digits", value: `"a";r=999999999999999;t=5`, ok: true},
		{name: "as long as it may be", value: `"` + strings.Repeat("a", MaxText-10) + `";r=1;t=5`, ok: true},
		{name: "too long", value: `"` + strings.Repeat("a", MaxText-9) + `";r=1;t=5`},
		{name: "16 digits", value: `"a";r=1000000000000000;t=5`},
		{name: "one parameter", value: `"a";r=30`},
		{name: "another order", value: `"a";t=5;r=1`},
		{name: "repeated", value: `"a";r=1;t=5;r=2`},
		{name: "no name", value: `"";r=1;t=5`},
		{name: "escape", value: `"a\"";r=1;t=5`},
		{name: "control character", value: "\"a\n\";r=1;t=5"},
		{name: "unclosed", value: `"a`},
		{name: "token", value: `a;r=1;t=5`},
		{name: "two spaces", value: `"a";  r=1;t=5`, ok: true},
		{name: "space behind", value: `"a";r=1;t=5 `},
		{name: "two items", value: `"a";r=1;t=5, "b";r=2;t=5`},
		{name: "nothing after the comma", value: `"a";r=1;t=5,`},
		{name: "another parameter", value: `"a";r=1;t=5;pk=:YQ==:`},
		{name: "another letter", value: `"a";r=1;x=1`},
		{name: "negative", value: `"a";r=-1;t=5`},
		{name: "Decimal", value: `"a";r=1.0;t=5`},
		{name: "no value", value: `"a";r;t=5`},
		{name: "empty value", value: `"a";r=;t=5`},
		{name: "no digits", value: `"a";r=1;t=`},
		{name: "empty", value: ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, ok := simpleItem([]string{c.value}, 'r', 't')
			require.Equal(t, c.ok, ok)
		})
	}
}
