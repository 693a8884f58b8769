package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/awstest"
)

// canary is part of every text of these tests that somebody wrote: participant,
// experimenter or model. It must not get into a log line or an error.
const canary = "Zwitscher"

// mark makes a canary that says where it comes from.
func mark(place string) string { return canary + "-" + place }

// confidential is a request with a canary wherever text can be.
func confidential(more string) []byte {
	tool := func(name, property string) string {
		return fmt.Sprintf(`{"type":"function","function":{"name":%q,"description":%q,"parameters":{"type":"object","title":%q,"$comment":%q,`+
			`"properties":{%q:{"type":"string","enum":[%q,"b"],"description":%q}},"required":[%q],"additionalProperties":false}}}`,
			name, mark("tool-description"), mark("schema-title"), mark("schema-comment"),
			property, mark("enum"), mark("property-description"), property)
	}
	return []byte(fmt.Sprintf(`{"model":"agent","messages":[{"role":"system","content":%q},
		{"role":"user","name":%q,"content":[{"type":"text","text":%q}]},
		{"role":"assistant","content":%q,"tool_calls":[{"id":"call_1","type":"function","function":{"name":%q,"arguments":%q}}]},
		{"role":"tool","tool_call_id":"call_1","content":%q},{"role":"user","content":%q}],
		"tools":[%s,{"type":"function","function":{"name":"wait"}}],
		"user":%q,"metadata":{%q:%q},"stop":[%q],%q:%q,"response_format":{"type":"text"}%s}`,
		mark("system"), canary, mark("participant"), mark("earlier-answer"), mark("tool"), `{"`+mark("p")+`":"`+mark("enum")+`"}`,
		mark("tool-result"), mark("last"), tool(mark("tool"), mark("p")),
		mark("user"), mark("metadata-name"), mark("metadata-value"), mark("stop"), mark("parameter"), mark("parameter-value"), more))
}

// TestPrivacyOfAnswers has models answer well and badly, and upstreams fail with
// the words of others.
func TestPrivacyOfAnswers(t *testing.T) {
	t.Parallel()
	quoting := func(status int, exception string) step {
		text := fmt.Sprintf("Invalid input %s in arn:aws:bedrock:us-east-1:123456789012:model/%s", mark("quoted"), canary)
		return step{
			bedrock:  always(awstest.Error(status, exception, text)),
			external: reply{status: status, body: compactJSON(map[string]any{"error": map[string]any{"message": text, "type": mark("type"), "param": mark("param"), "code": mark("code")}})},
		}
	}
	good := calls(toolCall{mark("tool"), `{"` + mark("p") + `":"` + mark("enum") + `"}`})
	steps := map[string][]step{
		"good":             {good},
		"mended":           {calls(toolCall{mark("tool"), `{"` + mark("p") + `":" ` + mark("enum") + `","` + mark("extra") + `":1}`})},
		"again":            {says(mark("prose")), good},
		"prose":            {saysAndCalls(mark("prose"))},
		"bad value":        {calls(toolCall{mark("tool"), `{"` + mark("p") + `":"` + mark("other") + `"}`})},
		"bad name":         {calls(toolCall{mark("unknown"), `{"` + mark("key") + `":1}`})},
		"several":          {calls(toolCall{mark("tool"), `{}`}, toolCall{"wait", `{}`})},
		"refusal":          {filtered(says(mark("refusal")))},
		"cut":              {cut(says(mark("cut")))},
		"thoughts":         {thinks(mark("thoughts"))},
		"400":              {quoting(400, "ValidationException")},
		"403":              {quoting(403, "AccessDeniedException")},
		"404":              {quoting(404, "ResourceNotFoundException")},
		"429":              {quoting(429, "ThrottlingException").withRetryAfter()},
		"500":              {quoting(500, "InternalServerException").withRetryAfter()},
		"unknown error":    {quoting(418, "TeapotException")},
		"page":             {web(502).withBody("<html>" + canary + "</html>").withRetryAfter()},
		"something else":   {web(200).withBody(canary).withRetryAfter()},
		"broken in two":    {breaks(says(mark("half"))), good},
		"a stream of JSON": {web(200).withBody(`{"` + canary + `":1}`)},
	}
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b, "LOG_LEVEL=debug", "REQUEST_TIMEOUT_SECONDS=10")
			s.gateway.Age = 7 * limit / 10
			for name, list := range steps {
				for _, more := range []string{"", `,"stream":true`} {
					s.discreet(t, name, s.ask(t, confidential(more), list...))
				}
			}
			if s.linesWith(`"msg":"request"`, `"kind":"decision"`) != 2*len(steps) {
				t.Errorf("log: %s", lines(s.logs()))
			}
			s.noLine(t, canary, apiKey, upstreamKey, "arn:aws", s.upstream.URL, "127.0.0.1")
		})
	}
}

// withRetryAfter makes a fault one that is not worth another attempt in time.
func (s step) withRetryAfter() step {
	const seconds = "60"
	bedrock := s.bedrock
	s.bedrock = func(r awstest.Request) awstest.Reply { return bedrock(r).WithHeader("Retry-After", seconds) }
	header := http.Header{"Retry-After": {seconds}}
	for name, values := range s.external.header {
		header[name] = values
	}
	s.external.header = header
	return s
}

// withBody gives a fault another body.
func (s step) withBody(body string) step {
	status := s.external.status
	s.bedrock = always(awstest.Raw(status, body))
	s.external.body = body
	return s
}

// discreet fails the test if an error says what somebody wrote. An answer may,
// and so may the list of parameters that had no effect.
func (d *deployment) discreet(t *testing.T, name string, a answer) {
	t.Helper()
	header := a.header.Clone()
	header.Del("X-Endpoint-Ignored")
	said := fmt.Sprint(header)
	if a.status != 200 {
		a.failure(t)
		said += string(a.body)
	}
	for _, secret := range []string{canary, "arn:aws", apiKey, upstreamKey} {
		if strings.Contains(said, secret) {
			t.Errorf("%s: %d says %q: %s", name, a.status, secret, said)
		}
	}
}

// TestPrivacyOfRequests sends requests that are wrong in a place where somebody
// wrote something.
func TestPrivacyOfRequests(t *testing.T) {
	t.Parallel()
	message := `"messages":[{"role":"user","content":"` + mark("content") + `"}]`
	picture := func(url string) string {
		return `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}]}`
	}
	function := func(name, schema string) string {
		return `{"tools":[{"type":"function","function":{"name":"` + name + `","parameters":` + schema + `}}],` + message + `}`
	}
	bodies := map[string]string{
		"half":              `{"` + mark("name") + `":"` + mark("half"),
		"no object":         `"` + canary + `"`,
		"model":             `{"model":"` + mark("model") + `",` + message + `}`,
		"role":              `{"messages":[{"role":"` + mark("role") + `","content":"x"}]}`,
		"part":              `{"messages":[{"role":"user","content":[{"type":"` + mark("part") + `"}]}]}`,
		"content":           `{"messages":[{"role":"user","content":{"` + canary + `":1}}]}`,
		"orphan":            `{"messages":[{"role":"tool","tool_call_id":"` + canary + `","content":"x"}]}`,
		"tool choice":       `{"tool_choice":"` + canary + `",` + message + `}`,
		"named tool choice": `{"tool_choice":{"type":"function","function":{"name":"` + canary + `"}},"tools":[{"type":"function","function":{"name":"f"}}],` + message + `}`,
		"tool name":         function(canary+" ü", `{}`),
		"tool type":         `{"tools":[{"type":"` + canary + `"}],` + message + `}`,
		"same tools":        `{"tools":[{"type":"function","function":{"name":"` + canary + `"}},{"type":"function","function":{"name":"` + canary + `"}}],` + message + `}`,
		"schema type":       function("f", `{"type":"object","properties":{"a":{"type":"`+canary+`"}}}`),
		"schema pattern":    function("f", `{"type":"object","properties":{"a":{"pattern":"(`+canary+`"}}}`),
		"schema reference":  function("f", `{"$ref":"#/$defs/`+canary+`"}`),
		"remote reference":  function("f", `{"$ref":"https://`+canary+`.invalid/x"}`),
		"temperature":       `{"temperature":"` + canary + `",` + message + `}`,
		"seed":              `{"seed":"` + canary + `",` + message + `}`,
		"stop":              `{"stop":{"` + canary + `":1},` + message + `}`,
		"format":            `{"response_format":{"type":"` + canary + `"},` + message + `}`,
		"format schema":     `{"response_format":{"type":"json_schema","json_schema":{"name":"` + canary + `","schema":{"type":"` + canary + `"}}},` + message + `}`,
		"effort":            `{"reasoning_effort":"` + canary + `",` + message + `}`,
		"picture":           picture("data:image/" + canary + ";base64,%%%"),
		"unknown picture":   picture("data:image/x-" + canary + ";base64,QUJD"),
		"linked picture":    picture("https://" + canary + ".invalid/" + canary + "?sig=" + canary),
		"local picture":     picture("https://127.0.0.1:9/" + canary),
		"plain picture":     picture("http://" + canary + ".invalid/"),
		"file picture":      picture("file:///" + canary),
	}
	for _, b := range both {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := on(t, b, "LOG_LEVEL=debug")
			s.play(says("fine"))
			for name, body := range bodies {
				s.discreet(t, name, s.post(t, []byte(body)))
			}
			s.discreet(t, "key", s.do(t, "POST", "/chat/completions", []byte(bodies["half"]), "Authorization", "Bearer "+canary))
			s.discreet(t, "path", s.do(t, "POST", "/"+canary, []byte(bodies["half"])))
			s.discreet(t, "model of that name", s.do(t, "GET", "/models/"+canary, nil))
			s.discreet(t, "header", s.do(t, "GET", "/models", nil, "User-Agent", canary, "X-Request-Id", canary, "Cookie", canary, "X-Forwarded-For", canary))
			s.noLine(t, canary, apiKey, "Bearer")
		})
	}
}
