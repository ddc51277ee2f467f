// Package sdktest has what the tests of the recipes share: a RoundTripper that counts
// calls, handlers that answer as an API does, and a rate-limited API over real HTTP.
// The limits themselves are those of ratelimittest.
//
// A test puts a Counter above headway, which counts what an SDK makes of one call by its
// user, and reads what arrived at the server from the Log of its ratelimittest.Handler:
//
//	api := sdktest.Serve(t, ratelimittest.NewFixedWindow(20, time.Second), ratelimittest.Draft10)
//	api.Handler.Next = sdktest.JSON(http.StatusOK, `{"result": []}`)
//	calls := &sdktest.Counter{Base: &headway.Transport{}}
//	client := cloudflare.New(calls, option.WithBaseURL(api.URL))
//	...
//	require.Empty(t, api.Handler.Log.Arrivals().Refused())
//	require.Equal(t, 60, calls.Calls())
//
// In a bubble of testing/synctest the same goes without a socket:
//
//	network := &ratelimittest.Transport{Handler: sdktest.First(1, refusal, answer)}
//	calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
package sdktest
