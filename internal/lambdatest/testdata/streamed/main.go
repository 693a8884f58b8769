// Command streamed is a function with a streamed response. The last segment of
// the path says how it behaves.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

type response = events.APIGatewayProxyStreamingResponse

func main() {
	log.Print("INIT done")
	lambda.Start(handle)
}

func handle(ctx context.Context, event events.APIGatewayProxyRequest) (any, error) {
	behaviour := path.Base(event.Path)
	log.Print("handling ", behaviour)
	switch behaviour {
	case "echo":
		return echo(event)
	case "environ":
		return streamed(strings.NewReader(strings.Join(os.Environ(), "\n"))), nil
	case "headers":
		return headers(), nil
	case "size":
		return streamed(strings.NewReader(fmt.Sprint(len(event.Body)))), nil
	case "gated":
		return streamed(io.MultiReader(strings.NewReader("first\n"), gate(ctx), strings.NewReader("second\n"))), nil
	case "panic":
		panic("before the prelude")
	case "error":
		return nil, errors.New("before the prelude")
	case "exit":
		os.Exit(3)
	case "hang":
		select {}
	case "raw":
		return strings.NewReader("no prelude here"), nil
	case "by-value":
		return *streamed(nil), nil
	case "no-status":
		return &response{Body: strings.NewReader("x")}, nil
	case "large-prelude":
		r := streamed(strings.NewReader("x"))
		r.Headers["x-large"] = strings.Repeat("x", 16<<10)
		return r, nil
	case "exit-after":
		return streamed(exitAfter{strings.NewReader("complete")}), nil
	}
	return midstream(behaviour), nil
}

// midstream returns a response that goes wrong after its first bytes.
func midstream(behaviour string) *response {
	return streamed(io.MultiReader(strings.NewReader("first\n"), readerFunc(func([]byte) (int, error) {
		switch behaviour {
		case "panic-midstream":
			panic("after the prelude")
		case "error-midstream":
			return 0, errors.New("after the prelude")
		case "exit-midstream":
			os.Exit(3)
		case "hang-midstream":
			select {}
		}
		return 0, fmt.Errorf("unknown behaviour %q", behaviour)
	})))
}

func streamed(body io.Reader) *response {
	return &response{StatusCode: http.StatusOK, Headers: map[string]string{"Content-Type": "text/plain"}, Body: body}
}

func echo(event events.APIGatewayProxyRequest) (*response, error) {
	b, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	r := streamed(strings.NewReader(string(b)))
	r.Headers["Content-Type"] = "application/json"
	return r, nil
}

func headers() *response {
	return &response{
		StatusCode:        http.StatusUnauthorized,
		Headers:           map[string]string{"X-One": "1", "X-Both": "lost", "WWW-Authenticate": "Bearer"},
		MultiValueHeaders: map[string][]string{"X-Both": {"a", "b"}},
		Cookies:           []string{"c=1", "d=2"},
	}
}

// gate returns a reader that ends when the server at GATE has answered.
func gate(ctx context.Context) io.Reader {
	return readerFunc(func([]byte) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("GATE"), nil)
		if err != nil {
			return 0, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		if err := resp.Body.Close(); err != nil {
			return 0, err
		}
		return 0, io.EOF
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// exitAfter ends the process once the response is accepted.
type exitAfter struct{ io.Reader }

func (exitAfter) Close() error {
	os.Exit(0)
	return nil
}
