// Package termheadway shows on a terminal what the requests of headway's Transports wait for, so that a person sees
// why a program stands still:
//
//	transport := &headway.Transport{}
//	line := termheadway.Show(os.Stderr, transport) // before the first request
//	defer line.Close()
//
// It is one line, which is rewritten in place and disappears when nothing waits any more:
//
//	api.example.com: 12 waiting, next in 3 s, last in 38 s, 41 of 100 left until 14:05
//
// # What it says
//
// First comes the host, or the partition's name without the hash of credentials. Then come the number of requests
// that wait there and the times until the next and the last one start by the present plan. Then comes what is left of the limit
// that it waits for, and the latest end of its window. If requests wait at several hosts, the line has the host
// whose request waits longest, and counts the others:
//
//	api.example.com: 12 waiting, next in 3 s, last in 38 s, 41 of 100 left until 14:05; 5 at 2 other hosts
//
// Where no start is known, since a request waits for a response to another one, the line says "next after a
// response". Requests that wait only for Transport.Ceiling wait "for the program's own limit".
//
// Partitions whose requests have waited for less than a second are not shown. A line that is too long for the
// terminal loses some parts, and is cut if it is still too long.
//
// For a progress bar of the program's own, [Until] has the text "done at 14:37" of a [headway.Forecast].
//
// # When it is silent
//
// Nothing is written, and the Transports are left alone, if the writer is no terminal or the variable TERM is
// "dumb". A Transport with Shadow makes nobody wait, so it is not shown.
//
// # Output beside the line
//
// What the program writes to the same terminal while the line is there stands behind it, on the same row. Write it
// through the [Line] to keep both apart:
//
//	log.SetOutput(line)
//
// Nothing that a server or an input chooses reaches the terminal as a control character: all that is not printable is
// replaced. Neither does a credential, a path or a query, unless the program's own function puts it into a
// partition's name.
package termheadway
