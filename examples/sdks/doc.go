// Package sdks has recipes for putting headway below the SDKs that many Go programs use,
// each tested with the SDK itself. Its README has a table of what comes of a refusal with
// and without the recipe.
//
// Each recipe is a package of its own, with a few lines to copy. This one has only tests.
package sdks
