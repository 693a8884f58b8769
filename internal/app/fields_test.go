package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/baseline"
	"hyperstudy-endpoint/internal/bedrock"
	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/external"
	"hyperstudy-endpoint/internal/openai"
)

// twoTools are what fields about tools need beside them.
const twoTools = `[{"type":"function","function":{"name":"rate"}},{"type":"function","function":{"name":"wait"}}]`

// fieldValues are values of all fields of a request that ask for something.
var fieldValues = map[string]string{
	"model": `"x"`, "messages": `[{"role":"user","content":"Hi"}]`, "tools": twoTools, "tool_choice": `"required"`, "parallel_tool_calls": "false",
	"response_format": `{"type":"json_object"}`, "max_tokens": "100", "max_completion_tokens": "100", "temperature": "0.5", "top_p": "0.5", "top_k": "5",
	"stop": `["END"]`, "seed": "7", "reasoning_effort": `"low"`, "thinking": `{"type":"enabled"}`, "chat_template_kwargs": `{"enable_thinking":true}`,
	"service_tier": `"flex"`, "stream": "true", "stream_options": `{"include_usage":true}`, "n": "2", "logprobs": "true", "top_logprobs": "2",
	"audio": `{"voice":"alloy","format":"mp3"}`, "modalities": `["text","audio"]`, "functions": `[{"name":"f"}]`, "function_call": `"auto"`,
	"frequency_penalty": "0.5", "presence_penalty": "0.5", "logit_bias": `{"1":5}`, "user": `"room-7"`, "safety_identifier": `"room-7"`,
	"prompt_cache_key": `"k"`, "prompt_cache_retention": `"24h"`, "prompt_cache_options": `{"mode":"explicit"}`, "metadata": `{"room":"7"}`, "store": "true",
	"prediction": `{"type":"content","content":"x"}`, "verbosity": `"low"`, "web_search_options": "{}", "moderation": `{"mode":"auto"}`, "min_p": "0.1",
}

// contractTable is the table under a heading of docs/contract.md, a list of cells
// a row, without its header.
func contractTable(t *testing.T, heading string) [][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "# "+heading+"\n")
	_, text, _ = strings.Cut(text, "\n|---")
	text, _, _ = strings.Cut(text, "\n\n")
	var rows [][]string
	for _, line := range strings.Split(text, "\n")[1:] {
		rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
	}
	if !found || len(rows) < 10 {
		t.Fatalf("the page has no table under %q", heading)
	}
	return rows
}

// codes are what stands between backquotes.
func codes(cell string) []string {
	var list []string
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			list = append(list, part)
		}
	}
	return list
}

// TestContractFields checks the list of a request's fields against what the
// providers do with each: what is ignored is reported and what is refused is a 400,
// on Bedrock for all families, and an external LLM gets what is passed on.
func TestContractFields(t *testing.T) {
	t.Parallel()
	tryBedrock, tryExternal, tryBaseline := bedrockFields(t), externalFields(t), fieldsOf(t, "baseline:random", baseline.New())
	listed := map[string]bool{}
	for _, row := range contractTable(t, "Fields of a request") {
		for _, name := range codes(row[0]) {
			if fieldValues[name] == "" {
				t.Errorf("no value to try the field %s with", name)
				continue
			}
			listed[name] = true
			for i, try := range []func(name string) string{tryBedrock, tryExternal, tryBaseline} {
				says, does := row[i+1], try(name)
				claim := "used" // which the page says in many ways
				for _, c := range []string{"ignored", "400", "by family", "passed on"} {
					if strings.HasPrefix(says, c) {
						claim = c
					}
				}
				if claim != does {
					t.Errorf("%s: the page says %q in column %d, and it is %s", name, says, i+1, does)
				}
			}
		}
	}
	for name := range fieldValues {
		if !listed[name] {
			t.Errorf("the page does not list the field %s", name)
		}
	}
}

// fieldsOf returns what a provider does with a field: 400, ignored or used.
func fieldsOf(t *testing.T, model string, p chat.Provider) func(name string) string {
	return func(name string) string {
		members := map[string]json.RawMessage{"messages": json.RawMessage(fieldValues["messages"]), name: json.RawMessage(fieldValues[name])}
		switch name {
		case "tool_choice", "parallel_tool_calls":
			members["tools"] = json.RawMessage(twoTools)
		case "stream_options":
			members["stream"] = json.RawMessage("true")
		}
		members["model"] = json.RawMessage(compactJSON(model))
		body, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		req, err := openai.DecodeRequest(bytes.NewReader(body))
		if err == nil {
			var completion *openai.ChatCompletion
			if completion, err = p.Complete(t.Context(), req); err == nil {
				if slices.Contains(completion.Ignored, name) {
					return "ignored"
				}
				return "used"
			}
		}
		if e := openai.AsError(err); e.Status != http.StatusBadRequest {
			t.Errorf("%s on %s: %v", name, model, err)
		}
		return "400"
	}
}

// bedrockFields tries a field with a model of each family, and returns "by family"
// where they differ.
func bedrockFields(t *testing.T) func(name string) string {
	t.Helper()
	srv := awstest.NewServer(t)
	p, err := bedrock.New(bedrockruntime.NewFromConfig(srv.Config()), bedrock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	models := []string{"us.deepseek.r1-v1:0", "mistral.mixtral-8x7b-instruct-v0:1", "meta.llama3-70b-instruct-v1:0", "amazon.titan-text-premier-v1:0"}
	for _, b := range slices.Concat(backends, others) {
		if id, ok := strings.CutPrefix(b.entry, "bedrock:"); ok {
			models = append(models, id)
		}
	}
	return func(name string) string {
		first := ""
		for _, model := range models {
			does := fieldsOf(t, model, p)(name)
			if first != "" && does != first {
				return "by family"
			}
			first = does
		}
		return first
	}
}

// externalFields tries a field with an LLM that takes everything.
func externalFields(t *testing.T) func(name string) string {
	t.Helper()
	var got map[string]json.RawMessage
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		got = nil
		if err != nil || json.Unmarshal(body, &got) != nil {
			t.Errorf("the LLM got %s", body)
		}
		_, _ = fmt.Fprint(w, completionOf(&sent{model: "m"}, reply{message: message("Fine.")}, tokens{1, 1}))
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	try := fieldsOf(t, "m", external.New(external.Options{BaseURL: base, HTTP: server.Client()}))
	return func(name string) string {
		does := try(name)
		if does == "used" && name != "model" && string(got[name]) == fieldValues[name] {
			return "passed on"
		}
		return does
	}
}

// TestContractAnswers checks that the page lists the fields of an answer, and no
// others. What a stream has in its place is under the same name.
func TestContractAnswers(t *testing.T) {
	t.Parallel()
	fields := map[string]bool{} // and whether it has others within
	for _, v := range []any{openai.ChatCompletion{}, openai.ChatCompletionChunk{}} {
		addFields(fields, reflect.TypeOf(v), "")
	}
	delete(fields, "choices.message.tool_calls.index") // of a stream only, and described below the table
	listed := map[string]bool{}
	for _, row := range contractTable(t, "Fields of an answer") {
		for _, name := range codes(row[0]) {
			listed[name] = true
			if _, ok := fields[name]; !ok {
				t.Errorf("there is no field %s", name)
			}
		}
	}
	for name, has := range fields {
		if !listed[name] && !has {
			t.Errorf("the page does not list the field %s", name)
		}
	}
}

// addFields adds the fields of a type, and those of the types within.
func addFields(fields map[string]bool, typ reflect.Type, path string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "delta" {
			name = "message"
		}
		full := strings.TrimPrefix(path+"."+name, ".")
		before := len(fields)
		addFields(fields, typ.Field(i).Type, full)
		fields[full] = fields[full] || len(fields) > before
	}
}
