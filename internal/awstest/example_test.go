package awstest_test

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
)

func Example() {
	srv, err := awstest.Start() // in a test: awstest.NewServer(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	srv.Reply(awstest.Throttled(), awstest.ToolUse("submit", `{"value": 70}`))

	c := bedrockruntime.NewFromConfig(srv.Config())
	for _, text := range []string{" ", "How warm is it?", "How warm is it?"} {
		out, err := c.Converse(context.Background(), say("amazon.nova-lite-v1:0", text))
		if err == nil {
			fmt.Println(out.StopReason, *out.Usage.TotalTokens)
		}
	}
	for _, r := range srv.Requests() {
		fmt.Printf("%s %q\n", r.ModelID, r.Rule)
	}
	// Output:
	// tool_use 19
	// amazon.nova-lite-v1:0 "R1"
	// amazon.nova-lite-v1:0 ""
	// amazon.nova-lite-v1:0 ""
}
