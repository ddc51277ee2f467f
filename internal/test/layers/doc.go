// Package layers tests a Transport above and below other layers that pace or retry.
package layers
