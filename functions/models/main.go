// Command models is the Lambda function that answers GET /v1/models and
// GET /v1/models/{id}.
package main

import (
	"context"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"hyperstudy-endpoint/internal/app/function"
)

func main() {
	handler, err := function.Models(context.Background(), os.Getenv, os.Stdout)
	if err != nil {
		log.Fatal(err) // fails INIT
	}
	lambda.Start(handler.Buffer)
}
