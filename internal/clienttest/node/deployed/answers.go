package main

import (
	"strings"

	"hyperstudy-endpoint/internal/awstest"
)

// answers are what the model says if a message names one of them, as in
// "script: length".
var answers = map[string]awstest.Reply{
	"length":         awstest.Text("I feel rather").WithStop("max_tokens"),
	"content_filter": awstest.Text("I feel").WithStop("guardrail_intervened"),
	"reasoning":      awstest.Reasoning("Calm, or tense? Calm.").And(awstest.Text("Calm.")),
	"cached":         awstest.Text("Calm.").WithUsage(awstest.Usage{InputTokens: 10, OutputTokens: 5, CacheReadInputTokens: 100}),
	"two calls":      awstest.Text("Both.").And(awstest.ToolUse("submit_response", `{"value": 63.5}`)).And(awstest.ToolUse("send_chat", `{"message": "Hi \"you\" 静か"}`)),
	"text and call":  awstest.Text("Let me see.").And(awstest.ToolUse("submit_response", `{"value": 63.5}`)),
	"refusal":        awstest.Text("").WithStop("content_filtered"),
	"at once":        awstest.Stream(awstest.Exception("validationException", "Input is too long for requested model.")),
	"exception":      awstest.Stream(awstest.MessageStart(), awstest.TextDelta(0, "I feel "), awstest.Exception("modelStreamErrorException", "lost")),
	"truncated":      awstest.Stream(awstest.MessageStart(), awstest.TextDelta(0, "I feel ")),
	"broken":         awstest.Stream(awstest.MessageStart(), awstest.TextDelta(0, "I feel "), awstest.Break()),
}

// answer is the answer that a request names. Without one the model says "Calm."
// or, where tools are offered, rates 63.5.
func answer(r awstest.Request) awstest.Reply {
	body := string(r.Body)
	for name, reply := range answers {
		if strings.Contains(body, `"script: `+name+`"`) {
			return reply
		}
	}
	if strings.Contains(body, `"toolConfig"`) {
		return awstest.ToolUse("submit_response", `{"value": 63.5}`)
	}
	return awstest.Text("Calm.")
}
