// Command chat-completions is the Lambda function that answers
// POST /v1/chat/completions.
package main

import (
	"context"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"hyperstudy-endpoint/internal/app"
)

func main() {
	handler, err := app.ChatCompletions(context.Background(), os.Getenv, os.Stdout)
	if err != nil {
		log.Fatal(err) // fails INIT
	}
	lambda.Start(handler.Stream)
}
