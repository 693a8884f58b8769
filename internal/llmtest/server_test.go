//go:build llm

package llmtest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/lambdatest"
)

// The files of the server, from here. Makefile installs the first.
const (
	python = "../../.tools/llm/bin/python"
	script = "../../infra/llm/serve.py"
)

const (
	modelID   = "smollm2-135m-instruct"
	callerKey = "sk-caller-0123456789abcdef"
	timeLimit = 40 // seconds for a request
)

// startModel starts the llama.cpp server, waits until it has loaded the model,
// and returns its address. The server ends with the test.
func startModel(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("%v: `make test-llm` installs the server", err)
	}
	cmd := exec.CommandContext(t.Context(), python, script)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // tells the server to end
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(stdout)
	address, err := lines.ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Fatalf("the server did not start: %v\n%s", err, stderr.String())
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // so that the server can go on writing
	return strings.TrimSpace(address)
}

// An endpoint is the compiled chat function with the model behind it.
type endpoint struct {
	url    string
	chat   *lambdatest.Function
	client http.Client
}

// deploy starts it. Tools are forced where the caller leaves the choice: a model
// this small otherwise hardly ever takes one.
func deploy(t *testing.T, address string) *endpoint {
	t.Helper()
	aws := awstest.NewServer(t)
	aws.SetSecret("caller-key", callerKey)
	chat := &lambdatest.Function{
		Path: lambdatest.Build(t, "hyperstudy-endpoint/functions/chat-completions"),
		Env: append(aws.Env(),
			"MODELS=agent=external:"+modelID,
			"API_KEY_SECRET=caller-key",
			"EXTERNAL_BASE_URL="+address+"/v1",
			"TOOL_CHOICE=required",
			fmt.Sprintf("REQUEST_TIMEOUT_SECONDS=%d", timeLimit),
		),
		Timeout: (timeLimit + 5) * time.Second,
	}
	gateway := lambdatest.NewGateway(t, lambdatest.Route{
		Method: http.MethodPost, Path: "/chat/completions", Function: chat, Mode: lambdatest.Stream, Timeout: (timeLimit + 10) * time.Second,
	})
	return &endpoint{url: gateway.URL + "/chat/completions", chat: chat, client: http.Client{Timeout: (timeLimit + 20) * time.Second}}
}
