// Package toolcall judges the tool calls of a model, and its answers in JSON,
// against the schemas that the request offered, and mends what needs no guess.
//
// An answer is research data. A valid one is passed on byte for byte. One that
// is not is mended only if exactly one valid reading of it exists and follows
// from the generated text alone: its form may change, what it says may not.
// Nothing is clamped, rounded, shortened, completed or picked. A mended spot is
// the only thing that changes in the text, a mend is made only where the schema
// complains, and it is kept only if the whole call is valid in the end.
// Everything else is reported with all the rules it breaks.
//
// # Behaviours of models
//
// What goes wrong, and what is done about it. Where no mend is named the answer
// is reported as it came, for the model to be asked again.
//
//	 1  prose instead of a call: nothing is read out of it
//	 2  a call as JSON that is the whole text, in a code fence or not: fenced_call, json_call
//	 3  a call in <tool_call> tags: tagged_call
//	 4  a call behind [TOOL_CALLS]: bracketed_call
//	 5  a call in <function=...> and <parameter=...> tags: xml_call
//	 6  a number, true or false as a string, or a number for a string: number_string,
//	    boolean_string, string_number
//	 7  a value out of range or off its step: float_noise if that is all it is
//	 8  properties that the schema does not allow: extra_property
//	 9  a tool's name in another form: tool_name
//	10  several calls: identical_calls
//	11  no arguments: empty_arguments
//	12  JSON that is cut off or malformed
//	13  a refusal: not a matter of this package
//	14  reasoning without an answer: reasoning is never looked at, nor is what stands
//	    in a text between tags such as <think> or [THINK]
//	15  an option in another form: enum_match
//	16  JSON encoded as a string once more: double_encoded
//	17  null for an optional property: null_optional
//	18  arguments in a wrapper: wrapper
//	19  text with too many escapes: valid as it is
//
// A call that is written as text (2 to 5) is taken only if the answer has no
// structured call, if it is complete and of an offered tool, if nothing else in the
// text reads as a call or as arguments, and if it may not come from the request: a
// model that repeats what a participant wrote does not decide anything. So none is
// taken if any text of the request (messages, names, tools, earlier arguments) holds
// a call, whatever it says, or these very arguments, or if the conversation holds
// the same call already. In doubt the model is asked again, which costs less than a
// decision that nobody made.
//
// A property is dropped (8) only if it can be meant for nothing else: it is not
// called nearly like a declared one, no other branch of a union has it, it holds no
// arguments of its own, and the arguments are not those of another offered tool.
//
// The order of work: the name (9), what encodes the arguments as a whole (11, 16,
// 18), then all values that the schema complains about (6, 7, 15, 16, 17, 8), and
// again until the whole is valid. Of the branches of a union (anyOf, oneOf) every
// one that edits can satisfy is tried; if that leads to more than one valid value
// nothing is mended.
//
// What a schema means is a matter of package jsonschema.
package toolcall

// The kinds of mends, as they stand in headers and logs.
const (
	// MendFencedCall: the call was written as JSON in a code fence that is the
	// whole text.
	MendFencedCall = "fenced_call"
	// MendJSONCall: the call was written as JSON that is the whole text.
	MendJSONCall = "json_call"
	// MendTaggedCall: the call was written as JSON in <tool_call> tags.
	MendTaggedCall = "tagged_call"
	// MendBracketedCall: the call was written as JSON behind [TOOL_CALLS].
	MendBracketedCall = "bracketed_call"
	// MendXMLCall: the call was written with <function=...> and <parameter=...> tags.
	MendXMLCall = "xml_call"
	// MendFencedJSON: a JSON answer stood in a code fence.
	MendFencedJSON = "fenced_json"

	// MendToolName: the tool's name differed in case, in - and _, or by the prefix
	// "functions.".
	MendToolName = "tool_name"
	// MendIdenticalCalls: the same call was made several times.
	MendIdenticalCalls = "identical_calls"

	// MendEmptyArguments: no arguments, where none are required, became {}.
	MendEmptyArguments = "empty_arguments"
	// MendDoubleEncoded: an object or array was encoded as a string.
	MendDoubleEncoded = "double_encoded"
	// MendWrapper: the arguments stood in one more object, under "arguments",
	// "parameters", "input" or "args".
	MendWrapper = "wrapper"

	// MendNumberString: a number was written as a string; its digits are kept.
	MendNumberString = "number_string"
	// MendStringNumber: a string was written as a number; its digits are kept.
	MendStringNumber = "string_number"
	// MendBooleanString: true or false was written as a string.
	MendBooleanString = "boolean_string"
	// MendFloatNoise: a number missed a step of its scale by no more than binary
	// floating point does, and the step is no fraction that was cut off.
	MendFloatNoise = "float_noise"
	// MendEnumMatch: an option was written in another Unicode form, with white
	// space or quotation marks around it, or in another case.
	MendEnumMatch = "enum_match"
	// MendNullOptional: an optional property that cannot be null was given as
	// null instead of being left out.
	MendNullOptional = "null_optional"
	// MendExtraProperty: a property that the schema does not allow and that can be
	// meant for nothing else was dropped.
	MendExtraProperty = "extra_property"
)
