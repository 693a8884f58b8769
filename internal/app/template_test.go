package app_test

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/lambdatest"
)

// A template is what template.yaml says about the API: which routes lead to
// which function, and how API Gateway words its own errors. The tests run
// behind that, and not behind a copy of it.
type template struct {
	events    []templateEvent
	responses map[lambdatest.ResponseType]lambdatest.GatewayResponse
}

type templateEvent struct {
	function, method, path string
	stream                 bool
	timeout                time.Duration
}

var (
	functionLine = regexp.MustCompile(`^  (\w+)Function:$`)
	eventLine    = regexp.MustCompile(`Path: "?([^,"]+)"?, Method: (\w+), TimeoutInMillis: (\d+)(, ResponseTransferMode: RESPONSE_STREAM)?`)
	responseLine = regexp.MustCompile(`^        ([A-Z_0-9]+):(?: [&*](\w+))?`)
	statusLine   = regexp.MustCompile(`StatusCode: (\d+)`)
	bodyLine     = regexp.MustCompile(`application/json: '(.*)'$`)
	headerLine   = regexp.MustCompile(`Headers: \{([\w-]+): "'(.*)'"\}`)
)

// readTemplate reads template.yaml line by line, which its plain layout allows.
func readTemplate(t *testing.T) template {
	t.Helper()
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tp := template{responses: map[lambdatest.ResponseType]lambdatest.GatewayResponse{}}
	function := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if m := functionLine.FindStringSubmatch(line); m != nil {
			function = m[1]
		}
		if m := eventLine.FindStringSubmatch(line); m != nil {
			ms, err := strconv.Atoi(m[3])
			if err != nil {
				t.Fatal(err)
			}
			tp.events = append(tp.events, templateEvent{function, m[2], m[1], m[4] != "", time.Duration(ms) * time.Millisecond})
		}
	}
	_, section, found := strings.Cut(string(text), "      GatewayResponses:\n")
	if !found {
		t.Fatal("template.yaml has no GatewayResponses")
	}
	tp.readResponses(t, section)
	if len(tp.events) < 4 || len(tp.responses) < 6 {
		t.Fatalf("template.yaml was not understood: %d routes, %d gateway responses", len(tp.events), len(tp.responses))
	}
	return tp
}

// readResponses reads the gateway responses, aliases of others among them.
func (tp *template) readResponses(t *testing.T, section string) {
	t.Helper()
	anchors := map[string]lambdatest.GatewayResponse{}
	var kind, anchor string
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "        ") {
			return // the next resource
		}
		if m := responseLine.FindStringSubmatch(line); m != nil {
			kind, anchor = m[1], m[2]
			tp.responses[lambdatest.ResponseType(kind)] = anchors[anchor] // nothing yet, unless it is an alias
			continue
		}
		r := tp.responses[lambdatest.ResponseType(kind)]
		if m := statusLine.FindStringSubmatch(line); m != nil {
			status, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			r.Status = status
		}
		if m := bodyLine.FindStringSubmatch(line); m != nil {
			r.Body = m[1]
		}
		if m := headerLine.FindStringSubmatch(line); m != nil {
			r.Header = http.Header{m[1]: {m[2]}}
		}
		tp.responses[lambdatest.ResponseType(kind)] = r
		if anchor != "" {
			anchors[anchor] = r
		}
	}
}

// routes are the API's routes to the functions of a deployment.
func (tp *template) routes(d *deployment) []lambdatest.Route {
	functions := map[string]*lambdatest.Function{"Models": d.models, "ChatCompletions": d.chat}
	routes := make([]lambdatest.Route, len(tp.events))
	for i, e := range tp.events {
		routes[i] = lambdatest.Route{Method: e.method, Path: e.path, Function: functions[e.function], Timeout: e.timeout}
		if e.stream {
			routes[i].Mode = lambdatest.Stream
		}
	}
	return routes
}
