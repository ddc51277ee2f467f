// Package hostile tests what servers may send that they should not: text and numbers without sense,
// lies, and answers that are not the server's.
package hostile
