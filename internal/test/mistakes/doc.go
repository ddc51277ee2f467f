// Package mistakes tests what becomes of limits that a server told by mistake: a Transport looks again, and may be told to
// forget them.
package mistakes
