package awstest

import "strings"

func modelExists(c *call) string {
	id := c.modelID
	if id == "" || !c.exists || len(checkShape("ConversationalModelId", "modelId", id)) > 0 {
		return "The provided model identifier is invalid."
	}
	return ""
}

func onDemand(c *call) string {
	if c.profile {
		return ""
	}
	for _, p := range profileOnly {
		if strings.HasPrefix(c.base, p) {
			return "Invocation of model ID " + c.modelID + " with on-demand throughput isn\u2019t supported. " +
				"Retry your request with the ID or ARN of an inference profile that contains this model."
		}
	}
	return ""
}

// isPrompt says whether the model id is the ARN of a stored prompt, which brings
// its own messages.
func (c *call) isPrompt() bool {
	return strings.HasPrefix(c.modelID, "arn:") && strings.Contains(c.modelID, ":prompt/")
}
