package interop_test

// bounds are the most that headway may need. 0: there is none.
type bounds struct {
	refused  float64 // per 100 granted
	finished float64 // over the even time
}
