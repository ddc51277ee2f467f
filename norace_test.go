//go:build !race

package headway

const crowdSize = 100_000
