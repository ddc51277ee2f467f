// Package audit finds out whether what a server tells about its rate limits is true. A Plan sends a bounded number of
// requests at a bounded rate, and Check compares what the responses told with what came of it. Check is a pure function
// of the exchanges: each check of its table is a small function, and says one of four things, see Verdict.
//
// No text of the package has the value of a header field, or any other text from the server than names of limits, units and
// fields.
package audit
