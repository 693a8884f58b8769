// Package llmtest puts requests of every kind to the compiled chat function with
// a real model behind it: a llama.cpp server with a model small enough for a
// test. Such a model makes mistakes that nobody would script. What it gets right
// is a measurement; that nothing wrong gets through is the test.
//
// The tests have the build tag llm, because they take minutes and need what
// `make test-llm` installs.
package llmtest
