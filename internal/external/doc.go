// Package external is a provider over any upstream that speaks the OpenAI Chat
// Completions API: OpenAI itself, Azure OpenAI, the compatible APIs of
// Anthropic, Google and Mistral, OpenRouter, Groq, vLLM, llama-server, Ollama,
// LM Studio.
//
// # What goes upstream
//
// The caller's JSON goes up member by member as it came, members this endpoint
// does not know included. `stream` and `stream_options` follow how the provider
// was called, an empty list of tools is left out together with what belongs to
// it, and what a model was found not to take is changed as described below. No
// header of the caller goes along.
//
// Images that stand in the request are looked at and not changed: one that is
// not a PNG, JPEG, GIF or WebP image in base64 is a 400 before anything is sent,
// since some servers answer as if they had seen it. Links are not followed.
//
// # Negotiation
//
// There is no table of servers. A 400 or 422 that names a parameter, or a list of
// them, is answered by changing those parameters and asking again: renaming (max_tokens and
// max_completion_tokens, the developer role), raising a token limit to the
// minimum the server names, leaving a parameter out, saying a tool choice by its
// mode and with the tools it allows alone, or weakening one that the server cannot
// force. An answer that breaks the tool choice is refused by whoever judges it; it
// shows that the server takes no objects there, and the next request is sent
// without. What was found is kept per model for the life of the
// process, and only once the upstream has accepted it. Everything that was left
// out, raised or weakened is named in the completion's Ignored field. messages and
// model are never left out, and no tools that may be called.
//
// A value that a model takes only in another range is not left out: the caller
// gets a 400 with the range, since leaving it out would be a silent change of
// the experiment.
//
// An upstream's error may quote the chat, and participants must steer neither
// what a model is sent nor how an error is worded. Every run of 16 or more letters
// and digits that an error's text shares with a message of the request is taken
// out of the text before it is looked at; punctuation, white space, case and
// escapes do not count. Codes and the names of parameters in fields of their own
// stay. Nothing is kept for later requests from a completion on whose way such an
// error was met. Shorter quotations cannot be told from the server's own words:
// an adjustment is kept only if it follows from the error even without the names,
// numbers and refusing phrases that also stand in a message. So a server that names
// parameters in prose alone is negotiated with again for every request whose
// messages hold that name.
//
// # What comes back
//
// A reply is mended in form, never in content:
//
//   - Arguments of a tool call are the string the upstream sent, byte for byte.
//     An object in its place becomes its JSON text. Missing and null arguments
//     become the empty string, so that whoever judges the call can count the mend.
//   - What Groq calls a failed generation is the content, for others to judge.
//   - extra_content beside a call is kept: Gemini wants its signature back.
//   - Missing, empty and repeated ids of tool calls are replaced by new ones.
//   - A complete <think> block at the start of the content moves to
//     reasoning_content, unless the upstream gave reasoning of its own. An
//     unclosed block stays in the content: it cannot be told from an answer.
//   - finish_reason is one of the four values of the API; it is tool_calls
//     whenever there are tool calls, unless the answer was cut or filtered.
//   - Content is null beside tool calls or a refusal, otherwise at least "".
//
// What cannot be mended is an error that is worth a few other attempts: more than one
// choice, text that is not Unicode (half of a surrogate pair included, unless the
// other half comes in the next chunk of a stream), more than 256 tool calls or a megabyte of
// arguments. A reply above 4 MB is an error that is not.
//
// A stream ends with its finish_reason; one that does not was cut or may have
// been, also where it says [DONE], and is an error. A reply in one piece shows by
// its last bracket that it is whole, and may lack a finish_reason.
//
// # Errors
//
// Every failure but one of the caller's emit function carries an
// [*openai.Error] in this endpoint's own words, with the model's alias. What an upstream writes may
// quote the prompt, and so it is only ever looked at.
package external
