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
package schedule
