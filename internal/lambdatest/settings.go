package lambdatest

// GoSettings are the variables for the Go runtime that template.yaml sets. A
// [Function] that is to run as it does when it is deployed has them in its Env.
var GoSettings = []string{"SSL_CERT_DIR=/nonexistent", "GOGC=400", "GOMEMLIMIT=64MiB", "GOMAXPROCS=1"}
