// Package schedule lets the requests of one partition go, each in its turn. A Partition joins the
// pacer, the queue, the lock, the timer and the clock behind one door:
//
//	visit := schedule.Visit{Called: now, Price: cost.Pricer{Request: req}}
//	defer visit.Leave()                                      // gives back what the visit still has
//	refusal, err := partition.Enter(ctx, &visit)             // waits
//	...                                                      // the request goes to the wire
//	verdict := visit.Answered(ctx, now, &answer, response)   // unless no response came
//	refusal, err = visit.Again(ctx)                          // if visit.IsQueued: waits to be sent again
//	end := visit.End()                                       // if visit.IsOpen: end.Done when the body is over
//
// All exported methods may be called from any goroutine, but those of one Visit from one at a
// time. None of them calls the caller's code while it holds a lock.
package schedule
