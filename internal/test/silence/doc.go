// Package silence tests servers that limit and do not say so: the rate, or how many requests they hold at
// once, has to be found out.
package silence
