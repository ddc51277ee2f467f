// Package costs tests limits in units other than requests: where the cost of a request comes from, and
// that costly requests do not overtake cheap ones.
package costs
