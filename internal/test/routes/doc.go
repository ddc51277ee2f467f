// Package routes tests limits that apply to some routes or partition keys only.
package routes
