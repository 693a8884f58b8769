package conformance

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// FuzzDecodeStudy: what is accepted can be offered, and is offered as it came.
func FuzzDecodeStudy(f *testing.F) {
	for _, seed := range []string{"[" + moodTool + "]", `{"tools":[` + bareTool + `]}` + "\n{}", bareTool, `[{}]`, `{"tools":null}`, "[[", `"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, study string) {
		tools, err := DecodeStudy(strings.NewReader(study))
		if err != nil {
			return
		}
		if len(tools) == 0 {
			t.Fatal("no tools, and no error")
		}
		for _, tool := range tools {
			if encoded, err := json.Marshal(tool); err != nil || tool.Name == "" {
				t.Errorf("%q: %s, %v", tool.Name, encoded, err)
			}
			notJudged(tool.Parameters)
			violations(tool.Parameters, map[string]any{"value": json.Number("1")})
		}
	})
}

// FuzzAnswers: whatever an endpoint answers is judged, and what is valid is a
// call of an offered tool with arguments that the schema allows.
func FuzzAnswers(f *testing.F) {
	good := &query{}
	if err := json.Unmarshal((body{Model: "m", Messages: screen("x"), Tools: []Tool{kindOf("likert").tool()}}).encode(), good); err != nil {
		f.Fatal(err)
	}
	c := answerOf(good)
	f.Add([]byte(encoded(c)))
	for _, tool := range []string{`"tool_calls":[{}]`, `"tool_calls":null`, `"tool_calls":[{"function":{"name":"submit_response","arguments":"{\"value\":5}"}}]`} {
		f.Add([]byte(`{"choices":[{"message":{` + tool + `}}]}`))
	}
	f.Add([]byte("data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\"}}]}}]}\n\ndata: [DONE]\n\n"))
	tools := []Tool{waitTool, kindOf("likert").tool()}
	f.Fuzz(func(t *testing.T, data []byte) {
		x := &Exchange{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, body: data}
		if st, problem := readStream(x); problem == "" {
			judge(&answer{Exchange: x, completion: st.completion()}, tools)
		}
		x.complaint()
		completion, problem := readCompletion(data)
		if problem != "" {
			return
		}
		a := &answer{Exchange: x, completion: completion}
		a.usage()
		d := judge(a, tools)
		if d.valid() && (len(d.faults) > 0 && d.faults[badForm] == "" || d.tool != "wait" && d.tool != "submit_response") {
			t.Errorf("valid, with %v, a call of %q", d.faults, d.tool)
		}
	})
}
