//go:build !race

package fleet

const raced = false
