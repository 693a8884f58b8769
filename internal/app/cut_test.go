package app_test

import (
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

// TestCutBeforeTheArguments has Bedrock cut a call before its arguments, for
// which Converse puts an empty object: that is not the model's decision.
func TestCutBeforeTheArguments(t *testing.T) {
	t.Parallel()
	d := deploy(t, "nova=bedrock:us.amazon.nova-2-lite-v1:0")
	d.aws.Reply(awstest.ToolUse("submit_response", `{}`).WithStop("max_tokens"))
	a := d.post(t, []byte(`{"max_tokens":50,"messages":[{"role":"user","content":"Rate it."}],"tools":[{"type":"function","function":{"name":"submit_response",
		"parameters":{"type":"object","properties":{"value":{"type":"integer"}}}}}]}`))
	a.failed(t, 400, "max_tokens_reached", "max_tokens")
}
