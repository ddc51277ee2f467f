package refusal

// growth is how fast a bound grows that a refusal has set. More: refusals. Less: recovers late.
const growth = 8.0

// grown returns how many times as large a bound is some time after the refusal that set it. It stands for a while, and
// then grows with the cube of time, as a congestion window does (CUBIC, RFC 9438). An example: a bound that stands for
// 20 s is 9 times as large after 40 s, and 65 times after a minute.
func grown(since, stands float64) float64 {
	x := max(since/stands-1, 0)
	return 1 + growth*x*x*x
}
