package browsertest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The page is never wider than the window, in spite of long names.
func testWidths(t *testing.T, b *tab) {
	t.Helper()
	for _, width := range []int64{320, 390, 740, 1180, 2000} {
		b.width(t, width)
		b.open(t, "")
		require.Empty(t, evaluate[[]string](t, b, `[...document.querySelectorAll("header *, main *, footer *")]
			.filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5 && !e.closest("caption, thead, label"))
			.map((e) => e.nodeName + ": " + e.textContent.slice(0, 40))`), "%d pixels", width)
		require.LessOrEqual(t, evaluate[int64](t, b, `document.documentElement.scrollWidth`), width)
		// No cell covers another one.
		require.Empty(t, evaluate[[]string](t, b, `(() => {
			const overlapping = [];
			for (const row of document.querySelectorAll("tbody tr:first-child, .limits li")) {
				const boxes = [...row.children].map((e) => [e, e.getBoundingClientRect()]);
				for (const [a, r] of boxes) for (const [b, s] of boxes) {
					if (a !== b && r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 1 && s.top < r.bottom - 1) {
						overlapping.push(a.textContent + " / " + b.textContent);
					}
				}
			}
			return overlapping;
		})()`), "%d pixels", width)
	}
	b.requireClean(t)
}
