// Package sdktest has helpers for the tests of the recipes: a RoundTripper that counts calls, handlers that
// respond like an API, and a rate-limited API over real HTTP. The limits themselves come from ratelimittest.
//
// A test puts a Counter above headway. It counts the calls that an SDK makes for one call by its user. The
// Log of the ratelimittest.Handler has the requests that reached the server:
//
//	api := sdktest.Serve(t, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(20, time.Second)}, ratelimittest.Draft10)
//	api.Handler.Next = sdktest.JSON(http.StatusOK, `{"result": []}`)
//	calls := &sdktest.Counter{Base: &headway.Transport{}}
//	client := cloudflare.New(calls, option.WithBaseURL(api.URL))
//	...
//	require.Empty(t, api.Handler.Arrivals().Refused())
//	require.Equal(t, 60, calls.Calls())
//
// In a synctest bubble the same works without a socket:
//
//	network := &ratelimittest.Transport{Handler: sdktest.First(1, refusal, answer)}
//	calls := &sdktest.Counter{Base: &headway.Transport{Base: network}}
package sdktest
