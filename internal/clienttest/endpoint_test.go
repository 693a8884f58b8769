package clienttest

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"hyperstudy-endpoint/internal/app"
	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/config"
	"hyperstudy-endpoint/internal/lambdatest"
)

// The keys: what a caller presents, and what the endpoint presents to the LLM.
const (
	callerKey   = "sk-caller-0123456789abcdef"
	endpointKey = "sk-endpoint-0123456789abcdef"
)

// A subject is a model to ask: its alias and what is behind it.
type subject struct{ alias, provider, id string }

var (
	nova     = subject{"nova", "bedrock", "us.amazon.nova-2-lite-v1:0"}
	claude   = subject{"claude", "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"}
	gpt      = subject{"gpt", "external", "gpt-5-mini"}
	baseline = subject{"baseline", "baseline", "baseline:random"}
)

// An endpoint is a running endpoint seen by a client of it, with the fakes that
// are behind its models.
type endpoint struct {
	openai.Client
	subject
	bedrock *awstest.Server // behind the functions
	llm     *llm            // behind the functions and devWithLLM
}

// everywhere runs a check against a new endpoint for each model.
func everywhere(t *testing.T, check func(*testing.T, *endpoint)) {
	for _, s := range []subject{nova, claude, gpt, baseline} {
		t.Run(s.alias, func(t *testing.T) {
			t.Parallel()
			if s == baseline {
				check(t, dev(t))
				return
			}
			check(t, deploy(t, s, 0))
		})
	}
}

// deploy starts the functions behind a REST API as template.yaml wires them up.
// age is how long ago requests are said to have come in: of the 10 s that they
// may take, 9 s are for the models.
func deploy(t *testing.T, s subject, age time.Duration) *endpoint {
	t.Helper()
	d := deployModels(t, "nova=bedrock:"+nova.id+",claude=bedrock:"+claude.id+",gpt=external:"+gpt.id)
	return &endpoint{Client: d.client(t, age), subject: s, bedrock: d.bedrock, llm: d.llm}
}

// A deployment is the functions and the fakes around them.
type deployment struct {
	bedrock      *awstest.Server
	llm          *llm
	chat, models *lambdatest.Function
}

// deployModels deploys the functions with this setting of MODELS.
func deployModels(t *testing.T, models string) *deployment {
	t.Helper()
	d := &deployment{bedrock: awstest.NewServer(t), llm: newLLM(t, endpointKey)}
	d.bedrock.SetSecret("caller-key", callerKey)
	d.bedrock.SetSecret("endpoint-key", endpointKey)
	env := append(d.bedrock.Env(),
		"MODELS="+models,
		"API_KEY_SECRET=caller-key",
		"EXTERNAL_BASE_URL="+d.llm.url,
		"EXTERNAL_API_KEY_SECRET=endpoint-key",
		"REQUEST_TIMEOUT_SECONDS=10",
	)
	d.models = &lambdatest.Function{Path: modelsBinary, Env: env, Timeout: 15 * time.Second}
	d.chat = &lambdatest.Function{Path: chatBinary, Env: env, Timeout: 15 * time.Second}
	return d
}

// client is a client of an API in front of the functions.
func (d *deployment) client(t *testing.T, age time.Duration) openai.Client {
	t.Helper()
	gateway := lambdatest.NewGateway(t,
		lambdatest.Route{Method: "GET", Path: "/models", Function: d.models},
		lambdatest.Route{Method: "GET", Path: "/models/{id}", Function: d.models},
		lambdatest.Route{Method: "GET", Path: "/{proxy+}", Function: d.models},
		lambdatest.Route{Method: "POST", Path: "/chat/completions", Function: d.chat, Mode: lambdatest.Stream},
		lambdatest.Route{Method: "POST", Path: "/{proxy+}", Function: d.chat, Mode: lambdatest.Stream},
	)
	gateway.Age = age
	return client(gateway.URL, callerKey)
}

// dev starts the endpoint in this process, with nothing configured.
func dev(t *testing.T) *endpoint { return serve(t, baseline, nil) }

// devWithLLM starts the endpoint in this process with an LLM that asks for no key.
func devWithLLM(t *testing.T) *endpoint {
	upstream := newLLM(t, "")
	e := serve(t, gpt, map[string]string{
		"MODELS": "gpt=external:" + gpt.id, "EXTERNAL_BASE_URL": upstream.url, "REQUEST_TIMEOUT_SECONDS": "10",
	})
	e.llm = upstream
	return e
}

// serve starts the endpoint in this process with these settings.
func serve(t *testing.T, s subject, env map[string]string) *endpoint {
	t.Helper()
	c, err := config.LoadDev(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	handler, err := app.Dev(t.Context(), c, callerKey, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	url := server.URL + "/v1"
	return &endpoint{Client: client(url, callerKey), subject: s}
}

// client returns a client that does not retry: what it shows is one answer.
func client(url, key string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url), option.WithAPIKey(key), option.WithMaxRetries(0))
}

// script makes the model give these answers, the last one again and again. The
// baseline takes no instructions.
func (e *endpoint) script(answers ...answer) {
	switch e.provider {
	case "bedrock":
		for _, a := range answers {
			e.bedrock.ReplyFor(e.id, a.reply())
		}
	case "external":
		e.llm.script(answers...)
	}
}

// scripted reports whether answers are those of the script.
func (e *endpoint) scripted() bool { return e.subject != baseline }

// received is the last request that reached the model, as JSON.
func (e *endpoint) received(t *testing.T) string {
	t.Helper()
	if e.provider == "external" {
		return e.llm.last(t)
	}
	requests := e.bedrock.Requests()
	if len(requests) == 0 {
		t.Fatal("nothing has reached Bedrock")
	}
	return string(requests[len(requests)-1].Body)
}

// An answer is what a model is made to say: a text, or a call of a tool.
type answer struct{ text, tool, arguments string }

func says(text string) answer             { return answer{text: text} }
func calls(tool, arguments string) answer { return answer{tool: tool, arguments: arguments} }

// reply is the answer as Bedrock gives it.
func (a answer) reply() awstest.Reply {
	if a.tool != "" {
		return awstest.ToolUse(a.tool, a.arguments)
	}
	return awstest.Text(a.text)
}
