// Package codec writes and reads snapshots. One list of fields does both, so each room of the pacer lists its fields
// once. What is read is limited to what is possible: nothing in a snapshot can put a number out of its bounds.
//
// A number is a varint, a fraction its 64 bits, and a time is stored relative to the moment of the snapshot. An
// example: five seconds before the snapshot r was 20, and two units were sent since. Then 20, −5 s and 2 are written.
// A process that restores it a second later, on another clock, has 18 units left and a report that is six seconds old.
//
// The package stores no numbers itself. One that is restored is read or fades as its room says.
package codec
