package bedrock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// A generator makes requests that are well-formed and otherwise anything.
type generator struct{ *rand.Rand }

func pick[T any](g generator, values ...T) T { return values[g.IntN(len(values))] }

func (g generator) text() string {
	return pick(g, "", " ", "\n\t", "Hi", "Wie geht's?\u00a0", ".", "日本語 🙂", "trailing ", "{\"a\":1}")
}

// schema makes schemas of all drafts, some of which are invalid.
func (g generator) schema(depth int) any {
	if depth == 0 || g.IntN(4) == 0 {
		return pick[any](g, true, false, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"$ref": "#/$defs/x"}, map[string]any{"$ref": "#"},
			map[string]any{"type": []string{"number", "null"}, "minimum": 0, "exclusiveMinimum": pick[any](g, true, false, 1)}, map[string]any{"enum": []any{1, "a", nil}},
			map[string]any{"type": "integer", "multipleOf": 1}, map[string]any{"type": "string", "pattern": "^[a", "format": "date", "minLength": 1})
	}
	s := map[string]any{}
	for range 1 + g.IntN(4) {
		sub := func() any { return g.schema(depth - 1) }
		switch g.IntN(9) {
		case 0:
			s["type"] = pick[any](g, "object", "array", "string", []string{"object", "null"}, "object", "object")
		case 1:
			s["properties"] = map[string]any{pick(g, "a", "b", "two words", "x.y", "怒り", ""): sub(), "c": sub()}
		case 2:
			s["required"] = pick[any](g, []string{"a"}, []string{"怒り"}, []string{}, true, []string{"a", "a"})
		case 3:
			s["items"] = pick(g, sub(), any([]any{sub(), sub()}), any(false))
		case 4:
			s[pick(g, "anyOf", "oneOf", "allOf")] = []any{sub(), sub()}
		case 5:
			s["additionalProperties"] = pick(g, any(false), any(true), sub())
		case 6:
			s[pick(g, "$defs", "definitions")] = map[string]any{"x": sub()}
		case 7:
			s[pick(g, "not", "if", "contains", "propertyNames", "unevaluatedProperties")] = sub()
		case 8:
			s[pick(g, "$schema", "$id", "id", "title", "description", "$comment", "x-own")] = pick(g, "http://json-schema.org/draft-07/schema#", "x")
		}
	}
	return s
}

func (g generator) tools() []any {
	var list []any
	for i := range g.IntN(4) {
		f := map[string]any{"name": fmt.Sprintf(pick(g, "tool%d", "a.b%d", "get-%d", "%d", "very_long_name_that_goes_on_and_on_until_it_is_longer_than_allowed_%d"), i)}
		if g.IntN(3) > 0 {
			f["description"] = g.text()
		}
		if g.IntN(3) > 0 {
			f["parameters"] = g.schema(3)
		}
		if g.IntN(3) == 0 {
			f["strict"] = true
		}
		list = append(list, map[string]any{"type": "function", "function": f})
	}
	return list
}

func (g generator) messages() []any {
	var list []any
	add := func(m map[string]any) { list = append(list, m) }
	for range 1 + g.IntN(6) {
		switch g.IntN(6) {
		case 0:
			add(map[string]any{"role": pick(g, "system", "developer"), "content": g.text()})
		case 1:
			add(map[string]any{"role": "assistant", "content": g.text()})
		case 2:
			ids := []string{pick(g, "a", "call_0", "functions.f:0", "x|y"), "second"}[:1+g.IntN(2)]
			var calls []any
			for _, id := range ids {
				calls = append(calls, map[string]any{"id": id, "function": map[string]any{"name": pick(g, "tool0", "a.b1", "gone"), "arguments": pick(g, "", "{}", "null", "{bad", `{"a":1e400}`, `{"怒り":{"":1}}`, "[1]")}})
			}
			add(map[string]any{"role": "assistant", "content": pick[any](g, nil, "", "text "), "tool_calls": calls})
			for _, id := range ids {
				add(map[string]any{"role": "tool", "tool_call_id": id, "content": pick[any](g, g.text(), []any{}, []any{map[string]any{"type": "text", "text": g.text()}})})
			}
		default:
			add(map[string]any{"role": "user", "content": pick[any](g, g.text(), []any{}, []any{map[string]any{"type": "text", "text": g.text()}, map[string]any{"type": "text", "text": g.text()}})})
		}
	}
	return list
}

func (g generator) request() map[string]any {
	r := map[string]any{"model": "m", "messages": g.messages()}
	maybe := func(name string, value any) {
		if g.IntN(3) == 0 {
			r[name] = value
		}
	}
	maybe("temperature", pick(g, 0, 0.5, 1, 1.5))
	maybe("top_p", pick(g, 0, 0.5, 1))
	maybe("top_k", pick[any](g, 0, 1, 200, 1.5, "x"))
	maybe("max_tokens", pick(g, 1, 500, 2048))
	maybe("stop", pick[any](g, "", "\n", []string{"", " ", "a", "b"}))
	maybe("reasoning_effort", pick(g, "none", "low", "medium", "high", "xhigh"))
	maybe("thinking", map[string]any{"type": pick(g, "enabled", "disabled"), "budget_tokens": pick[any](g, -1, 0, 1024, 1500, 100000, "2000", nil)})
	maybe("service_tier", pick(g, "auto", "flex", "priority", "scale"))
	maybe("parallel_tool_calls", pick(g, true, false))
	maybe("response_format", pick[any](g, map[string]any{"type": "json_object"},
		map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": pick(g, "n", "a b", ""), "description": g.text(), "schema": g.schema(3)}}))
	if list := g.tools(); len(list) > 0 {
		maybe("tools", list)
		if r["tools"] != nil {
			maybe("tool_choice", pick[any](g, "auto", "none", "required", map[string]any{"type": "function", "function": list[0].(map[string]any)["function"]})) //nolint:errcheck // made above
		}
	}
	return r
}

// TestRandomRequests is FuzzComplete with requests that are mostly well-formed.
func TestRandomRequests(t *testing.T) {
	t.Parallel()
	for i, f := range everyFamily() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			j, p := newJudge(t)
			model := modelOf(j.srv, f)
			g := generator{rand.New(rand.NewPCG(1, uint64(i)))}
			accepted, sent := 0, 0
			for range 150 {
				raw, err := json.Marshal(g.request())
				if err != nil {
					t.Fatal(err)
				}
				req, err := openai.DecodeRequest(bytes.NewReader(raw))
				if err != nil {
					continue
				}
				accepted++
				req.Model = model
				if j.accepts(t, p, req) {
					sent++
				}
				if t.Failed() {
					t.Fatalf("request %s", raw)
				}
			}
			if sent < accepted/4 {
				t.Errorf("only %d of %d requests were sent: the generator makes nothing but faults", sent, accepted)
			}
		})
	}
}
