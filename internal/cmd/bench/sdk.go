package main

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

// An sdkCall is a decision asked for by a program that calls Bedrock itself, with
// the AWS SDK. It is what the researcher's own code would do without an endpoint.
type sdkCall struct {
	client *bedrockruntime.Client
	input  bedrockruntime.ConverseInput
}

// newSDKCall returns a call with about as many bytes as a request of a size.
func newSDKCall(url string, s size) *sdkCall {
	credentials := aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}
	client := bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: &url, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return credentials, nil }),
	})
	schema := map[string]any{
		"type": "object", "required": []string{"value"}, "additionalProperties": false,
		"properties": map[string]any{"value": map[string]any{"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.5, "description": "Your answer."}},
	}
	var tools []types.Tool
	for _, name := range []string{"submit_response", "send_chat", "wait"} {
		tools = append(tools, &types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name: &name, Description: aws.String("One of the things that you can do in this turn."),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)},
		}})
	}
	return &sdkCall{client, bedrockruntime.ConverseInput{
		ModelId: aws.String("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
		Messages: []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{
			&types.ContentBlockMemberText{Value: strings.Repeat("i kept thinking of \"my\" father\n", max(0, s.bytes-1200)/33)},
		}}},
		InferenceConfig: &types.InferenceConfiguration{MaxTokens: aws.Int32(300), Temperature: aws.Float32(0.7)},
		ToolConfig:      &types.ToolConfiguration{Tools: tools},
	}}
}

func (c *sdkCall) call(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	_, err := c.client.Converse(ctx, &c.input)
	return time.Since(began), err
}
