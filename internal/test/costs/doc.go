// Package costs tests limits of units other than requests: what a request costs, by whatever says so,
// and that those who ask for much do not go before those who ask for little.
package costs
