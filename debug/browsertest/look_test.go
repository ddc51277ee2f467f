package browsertest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// contrasts returns, by selector, the least contrast between text and its background (WCAG 2.2 §1.4.3).
const contrasts = `(() => {
	const channels = (color) => color.match(/[\d.]+/g).map(Number);
	const luminance = (color) => {
		const [r, g, b] = channels(color).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ground = (e) => {
		const color = getComputedStyle(e).backgroundColor;
		return channels(color)[3] === 0 && e.parentElement ? ground(e.parentElement) : color;
	};
	const least = {};
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) || !e.checkVisibility()) continue;
		const [light, dark] = [luminance(getComputedStyle(e).color), luminance(ground(e))].sort((a, b) => b - a);
		const name = e.closest("[class]")?.className + " " + e.nodeName;
		least[name] = Math.min(least[name] ?? Infinity, (light + 0.05) / (dark + 0.05));
	}
	return least;
})()`

func testColors(t *testing.T, b *tab) {
	t.Helper()
	b.open(t, "")
	ground := make(map[string]string)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(t, scheme)
		ground[scheme] = evaluate[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		least := evaluate[map[string]float64](t, b, contrasts)
		require.Greater(t, len(least), 10)
		for element, contrast := range least {
			require.GreaterOrEqual(t, contrast, 4.5, "%s in %s", element, scheme)
		}
	}
	require.Equal(t, "rgb(247, 248, 250)", ground["light"])
	require.Equal(t, "rgb(18, 21, 26)", ground["dark"])
	b.requireClean(t)
}

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
