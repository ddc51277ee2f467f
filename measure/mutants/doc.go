// Command mutants measures how good the tests are: it changes the code in many places, one at a time, and runs the tests. A
// change that no test finds is a rule that no test holds. See docs/figures/mutants.md, which it writes with -write.
//
// Gremlins and its like build the tests anew for each change, which takes hours where the tests stand in other packages.
// This command builds them once with all changes in them, and an environment variable chooses one.
//
// The changes are these: a comparison is negated, < becomes <= and the like (not between two fractions that vary, which are
// equal by chance only), + becomes - and the like, a condition that is no comparison is negated. A change whose tests hang
// counts as found.
package main
