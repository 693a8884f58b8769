// Package lambdatest runs compiled Lambda functions the way AWS does, for tests
// and benchmarks: as processes of their own, behind a Runtime API and an API
// Gateway REST front end that speak the real protocols over loopback HTTP.
//
//	fn := &lambdatest.Function{Path: lambdatest.Build(t, "example.com/m/functions/chat"), Timeout: 5 * time.Second}
//	gw := lambdatest.NewGateway(t, lambdatest.Route{
//		Method: "POST", Path: "/chat", Function: fn, Mode: lambdatest.Stream,
//	})
//	resp, err := http.Post(gw.URL+"/chat", "application/json", body)
//
// # Deviations
//
// The package keeps to what AWS documents. It does less than AWS in these ways:
//
//   - A failed or overlong INIT fails the invocation that started it. AWS repeats
//     INIT once inside that invocation before it gives up.
//   - CPU and memory are not limited to [Function.MemoryMB], bandwidth is not
//     limited either, and the file system is the host's.
//   - The Extensions API and the Logs API are absent: they answer 404.
//   - Environments stay warm until [Function.Close].
//   - Request validation, authorizers, caching and content encoding are absent.
package lambdatest
