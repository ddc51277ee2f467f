// Package own tests Transport.Limits and Report: limits that an API tells in a form of its own.
package own
