// Package schedule lets the requests of one partition go, each in its turn. A Partition joins the
// pacer, the queue, the lock, the timer and the clock behind one door:
//
//	grant, refusal, err := partition.Enter(ctx, &ask) // waits
//	defer grant.Leave()
//	...                                               // the request goes to the wire
//	verdict := grant.Answered(&answer, response)      // or Lost, where no response came
//	refusal, err = grant.Again(ctx)                   // if verdict.Resend: waits to be sent again
//	end := grant.End()                                // if verdict.Open: end.Done when the body is over
//
// All exported methods may be called from any goroutine, but those of one Grant from one at a
// time. None of them calls the caller's code while it holds a lock.
package schedule
