// Command deployed runs the compiled functions behind API Gateway's routes, with
// fakes of AWS around them, for clients that are not written in Go. It is
// started in the repository's root and ends on SIGTERM.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/lambdatest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("API_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key string) error {
	aws, err := awstest.Start() //nolint:contextcheck // it runs until it is closed
	if err != nil {
		return err
	}
	defer aws.Close()
	aws.SetSecret("key", key)
	aws.Handle(answer)
	env := append(aws.Env(), "MODELS=nova=bedrock:us.amazon.nova-2-lite-v1:0", "API_KEY_SECRET=key")
	models, err := function(ctx, "./functions/models", env)
	if err != nil {
		return err
	}
	defer models.Close()
	chat, err := function(ctx, "./functions/chat-completions", env)
	if err != nil {
		return err
	}
	defer chat.Close()
	return serve(ctx, &lambdatest.Gateway{Routes: []lambdatest.Route{
		{Method: "GET", Path: "/models", Function: models},
		{Method: "GET", Path: "/models/{id}", Function: models},
		{Method: "GET", Path: "/{proxy+}", Function: models},
		{Method: "POST", Path: "/chat/completions", Function: chat, Mode: lambdatest.Stream},
		{Method: "POST", Path: "/{proxy+}", Function: chat, Mode: lambdatest.Stream},
	}})
}

func function(ctx context.Context, pkg string, env []string) (*lambdatest.Function, error) {
	path, err := lambdatest.Compile(ctx, pkg)
	return &lambdatest.Function{Path: path, Env: env, Timeout: 15 * time.Second}, err
}

// serve serves on a free port of this machine until ctx ends.
func serve(ctx context.Context, h http.Handler) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if _, err := fmt.Fprintf(os.Stdout, "Base URL  http://%s/v1\n", listener.Addr()); err != nil {
		return err
	}
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}
