// Package clienttest runs the official Go client of the OpenAI API against the
// endpoint: against the two compiled functions behind a REST API, with AWS and
// an OpenAI-compatible LLM played by fakes, and against the endpoint in this
// process with its baseline model. All of it is tests. Every case of the providers'
// own tests is read as a stream by the client's accumulator; node/ has the same for
// the client for Node.js.
//
// It is a module of its own, so that the client and what it depends on stay out
// of the go.mod of the functions.
package clienttest
