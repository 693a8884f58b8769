// Package conformance judges any OpenAI-compatible endpoint by HyperStudy's
// contract for model endpoints, over HTTP and from the outside: it knows
// nothing of the code that answers and shares no types with it.
//
// Run makes the checks that [Checks] lists. Each proves one requirement, and a
// check that fails says what to do. What the endpoint guarantees is judged: the
// form of its answers, the schemas, keys, errors, time. What the model behind
// it decides is reported and never judged.
//
// Some requirements hold for every answer, and checks of those look at all that
// was exchanged in a run. So one fault is told once, by the check it belongs
// to, and the others have nothing to add: where an answer holds no tool call at
// all, the check of its schema is skipped.
//
// The response headers X-Endpoint-Attempts, X-Endpoint-Mended and
// X-Endpoint-Ignored are reported where an endpoint sends them; none is needed.
//
// # Deviations
//
// The judge of JSON Schemas knows the keywords that questions are made of. A
// study's own schema may have others: those are named as not judged, and the
// rest of the schema is judged nevertheless.
package conformance
