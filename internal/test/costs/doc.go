// Package costs tests limits in units other than requests: where the cost of a request comes from, that costly requests do
// not overtake cheap ones, and what callers report by Transport.Limits and Report.
package costs
