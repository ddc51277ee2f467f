// Package schedule decides when each request of a partition is sent. A Partition combines the pacer, the
// queue, the lock, the timer and the clock:
//
//	visit := schedule.Visit{Called: now, MaxWait: time.Hour, Price: cost.Pricer{Request: req}}
//	defer visit.Leave()                                      // gives back what the visit still holds
//	refusal, err := partition.Enter(ctx, &visit)             // waits
//	...                                                      // the request is sent
//	verdict := visit.Answered(ctx, now, &answer, response)   // unless no response came
//	refusal, err = visit.Again(ctx)                          // if visit.IsQueued: waits to be sent again
//	end := visit.End()                                       // if visit.IsOpen: end.Done when the body ends
//
// All exported methods may be called from any goroutine. Those of one Visit must not be called at the same
// time. None of them calls the caller's code while it holds a lock.
//
// # The states of a Visit
//
// The state of a Visit says what the Visit holds. The transition that leaves the state gives that back, or takes it along.
// Each transition is a function in transitions.go, or in dispatch.go if it decides under the lock of the partition.
//
//	state      holds                                       event: next state (function)
//	outside    nothing                                     it may go: granted; without a Ceiling: sent (Enter)
//	                                                       it must wait: queued (Enter)
//	queued     a place in the partition's queue            its turn: granted (turn)
//	                                                       too late, or the request ends: outside (turn)
//	granted    the ticket: its units, a place in flight    no token needed, or one is there: sent (toCeiling)
//	                                                       no token is there: atCeiling (toCeiling)
//	                                                       the token comes too late: outside (toCeiling)
//	                                                       a hold or another unit since: queued (confirm)
//	atCeiling  the ticket, and a place in the Ceiling's    its token: sent (token)
//	           queue or the token from there               too late, or the request ends: outside (token)
//	                                                       a hold or another unit since: queued (confirm)
//	sent       the ticket                                  a response: answered (Answered, Served)
//	                                                       it is to be sent again: queued (Answered)
//	answered   the body: a place in flight and its bytes,  the End takes them along: outside (End)
//	           if a limit counts them; else nothing
//	each       what its row says                           the call ends or panics: outside (Leave)
//
// A Visit that is to be sent again has its body as well, until End. In shadow mode Enter sends a Visit whatever its plan.
// While a partition's queue or a ticket holds a Visit, the registry does not forget the partition.
//
// # The Ceiling
//
// The Ceiling has a queue of its own behind those of the partitions, as its order is one over all partitions. As one more
// limit in the plan of each partition it would need that order too, and each token would have to lock all of them.
package schedule
