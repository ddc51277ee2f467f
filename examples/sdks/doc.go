// Package sdks has recipes for using headway with SDKs that many Go programs use. Each recipe is tested with
// the SDK itself. The README has a table of how SDKs handle a refusal, with and without the recipe.
//
// Each recipe is a package of its own, with a few lines to copy. This package has tests only.
package sdks
