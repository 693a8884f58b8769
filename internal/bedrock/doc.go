// Package bedrock is a provider over the Converse and ConverseStream operations
// of Amazon Bedrock: it turns a chat completion request into a Converse request
// and Bedrock's answer into a completion. It makes one attempt and judges nothing.
//
// What the models behind Converse have in common is in request.go, messages.go
// and tools.go; where they differ, the family table says so (family.go), one row
// a group of models and one column a difference.
//
// # Numbers and bytes
//
// Tool schemas, tool arguments and JSON answers are research data and pass as
// the bytes they are: the SDK's documents would lose the order of members, and
// its decoder repeats a content block in the place of one it does not know. So
// documents are sent as JSON text (document.go), and an answer is read from the
// body of the response instead of from the SDK's types (response.go).
//
// # Deviations
//
// Where Converse has no equal of what the API promises:
//
//   - tool_choice "none": Converse knows no such choice. No tools are sent, and
//     tool calls and results in the history become plain text, because tool blocks
//     without tools are refused. The same is done where a request has tool
//     history but no tools. A call that comes back all the same is dropped.
//   - tool_choice "required" or a named function on models that cannot be forced:
//     only the tools that may be called are offered, the model decides, and
//     tool_choice is reported as ignored.
//   - Exactly one call is asked for, with Claude's disable_parallel_tool_use, unless
//     parallel_tool_calls is true. Other models cannot be asked.
//   - Messages of one role in a row are merged. Where a family demands a turn that
//     is not there (a first user message, an assistant message between tool results
//     and text), it is a single full stop; where the conversation must not end with
//     the assistant, "Please continue." follows.
//   - System and developer messages go before the conversation, wherever they stood.
//     For models without a system prompt they begin the first user message.
//   - Tool names and tool call ids that Bedrock refuses are replaced on the way there
//     and put back on the way home.
//   - Names of properties that a family refuses are replaced in the copies of schemas
//     sent upstream and in the arguments of the history, and put back in the
//     arguments and JSON of answers, where nothing but these names is touched. The
//     description of the property tells the model the name, so that nothing is lost.
//     In free text, such as reasoning, a replacement may be seen.
//   - Schemas: the copy sent upstream is changed to what the family takes. References
//     are inlined, alternatives at the top merged, keywords outside the dialect left
//     out. Answers have to be judged by the original.
//   - response_format: json_schema is enforced by Bedrock where the family and the
//     schema allow it, else asked for as the input of a forced tool, else in words;
//     json_object is asked for in words. The answer is not checked here. strict is
//     passed on for tools whose schema Bedrock can enforce as it is. Schemas beyond
//     the limits that it sets on all of a request do without either.
//   - Reasoning is turned off for a call that forces a tool, whose max_tokens leaves
//     no room for it, or that continues a tool call whose signed reasoning is gone.
//     A model that reasons gets a schema in words in the place of a forced tool.
//     An effort that cannot be had in full is sent as the nearest there is, and
//     reported as ignored; the caller's budget of tokens is sent as it is or refused.
//     A Claude model that reasons on a budget of tokens gets a max_tokens of 32,000
//     if the request has none.
//   - Amazon Nova writes <thinking> text before its tool calls, and before answers
//     without one, and Kimi <think>. Where tools are offered, such a beginning is
//     given as reasoning_content; where none are, the text stays as it is.
//   - Images given by URL are downloaded, and kept in memory for a minute, so that
//     every attempt at a request shows the model the same picture.
//   - Prompt caching is not asked for, because writing to the cache is billed. What
//     a model reads from a cache unasked, as Amazon Nova does, is counted.
//   - metadata, user and the like are not sent as request metadata, since that ends
//     up in the account's invocation logs.
package bedrock
