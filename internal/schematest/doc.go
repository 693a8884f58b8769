// Package schematest holds the tests of the validator in internal/jsonschema
// that need other people's work: every case of the official JSON Schema test
// suite, and schemas and values made up at random, about which the validator has
// to say what github.com/santhosh-tekuri/jsonschema says. All of it is tests.
//
// It is a module of its own, so that the modules that carry the suite stay out of
// the go.mod of the functions.
package schematest
