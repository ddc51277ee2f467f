//go:build !race

package headway

const crowdSize = 100_000

const raced = false
