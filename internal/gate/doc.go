// Package gate decides when each request of a partition is sent. A Partition combines the pacer, the queue, the lock, the
// timer and the clock:
//
//	visit := gate.Visit{Called: now, MaxWait: time.Hour, Price: gate.Pricer{Request: req}}
//	defer visit.Leave()                                      // gives back what the visit still holds
//	refusal, err := partition.Enter(ctx, &visit)             // waits
//	...                                                      // the request is sent
//	verdict := visit.Answered(ctx, now, &answer, response)   // unless no response came
//	refusal, err = visit.Proceed(ctx)                          // if visit.IsQueued: waits to be sent again
//	end := visit.End()                                       // if visit.IsOpen: end.Done when the body ends
//
// All exported methods may be called from any goroutine. Those of one Visit must not be called at the same time. None of
// them calls the caller's code while it holds a lock.
//
// # The states of a Visit
//
// The state of a Visit says what the Visit holds. Leave gives that back at any time, also after a panic.
//
//	state      holds                                       event: next state (function)
//	outside    nothing                                     it may go: granted; without a Ceiling: sent (try)
//	                                                       it must wait: queued (join)
//	queued     a place in the partition's queue            its turn: granted (turn)
//	                                                       too late, or the request ends: outside (turn)
//	granted    the ticket: its units, a place in flight    it has a token of the Ceiling: sent (token)
//	                                                       too late, or the request ends: outside (token)
//	                                                       a hold or another unit since: queued (confirm)
//	sent       the ticket                                  a response: outside (Answered)
//	                                                       it is to be sent again: queued (Answered)
//
// After a response the Visit has its body as well until End: a place in flight and bytes, if a limit counts them. In shadow
// mode Enter sends a Visit whatever its plan. While a partition's queue or a ticket holds a Visit, the registry does not
// forget the partition.
package gate
