// Package services tests what real services send, and profiles and rules that say how it is meant.
package services
