// Command buffered is a function with a buffered response. The last segment of
// the path says how it behaves.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(handle)
}

func handle(event json.RawMessage) (any, error) {
	var req events.APIGatewayProxyRequest
	if err := json.Unmarshal(event, &req); err != nil {
		return nil, err
	}
	ok := events.APIGatewayProxyResponse{StatusCode: 200, Headers: map[string]string{"Content-Type": "text/plain"}}
	switch path.Base(req.Path) {
	case "echo":
		ok.Headers["Content-Type"] = "application/json"
		ok.Headers["Content-Length"] = "1"
		ok.Body = string(event)
	case "base64":
		ok.Body = base64.StdEncoding.EncodeToString([]byte{0xff, 0x00, 0xfe})
		ok.IsBase64Encoded = true
	case "not-base64":
		ok.Body = "*"
		ok.IsBase64Encoded = true
	case "no-content":
		ok.StatusCode = 204
	case "error":
		return nil, errors.New("no response")
	case "panic":
		panic("no response")
	case "null":
		return nil, nil
	case "text":
		return "just text", nil
	case "unknown-member":
		return map[string]any{"statusCode": 200, "body": "", "cookies": []string{}}, nil
	case "wrong-spelling":
		return map[string]any{"StatusCode": 200, "Body": ""}, nil
	case "object-body":
		return map[string]any{"statusCode": 200, "body": map[string]any{}}, nil
	case "no-status":
		return map[string]any{"body": ""}, nil
	case "early-status":
		return map[string]any{"statusCode": 100, "body": ""}, nil
	case "large":
		ok.Body = strings.Repeat("x", 6_291_556)
	case "hang":
		select {}
	}
	return ok, nil
}
