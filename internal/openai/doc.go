// Package openai is the wire format of the OpenAI Chat Completions API: the
// request, the completion, its streamed chunks, the model list and the error.
//
// A request keeps the JSON it was decoded from, so that an upstream speaking
// the same API can be sent what the caller wrote, members this package does
// not know included. Numbers are never turned into floating point on the way:
// tool schemas and tool arguments stay JSON text.
package openai
