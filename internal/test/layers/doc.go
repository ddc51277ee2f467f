// Package layers tests a Transport among others that pace or retry, above and below it.
package layers
