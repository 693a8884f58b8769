package bedrock

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

// A probe asks how requests of one family are translated.
type probe struct {
	t      *testing.T
	family *family
}

// offered are two tools, the second of which can be strict.
const offered = `[{"type":"function","function":{"name":"get-mood"}},` +
	`{"type":"function","function":{"name":"rate","strict":true,"parameters":{"type":"object","properties":{"value":{"type":"number"}},"required":["value"],"additionalProperties":false}}}]`

// model is the id of a model of the family.
func (p probe) model() string {
	if len(p.family.ids) == 0 {
		return "acme.unheard-of-v1:0"
	}
	return p.family.ids[0] + "-v1:0"
}

// provider is one that calls nobody.
func (p probe) provider() *Provider {
	provider, err := New(nil, Options{Family: p.family.name})
	if err != nil {
		p.t.Fatal(err)
	}
	return provider
}

// send translates a request with one user message and these members.
func (p probe) send(members ...string) (*translation, error) {
	return p.say(`[{"role":"user","content":"Hi"}]`, members...)
}

// say is send with other messages.
func (p probe) say(messages string, members ...string) (*translation, error) {
	body := strings.Join(append([]string{`"model":"` + p.model() + `"`, `"messages":` + messages}, members...), ",")
	return p.provider().translate(p.t.Context(), decodeRequest(p.t, "{"+body+"}"))
}

// sent is send for requests that no family refuses.
func (p probe) sent(members ...string) *translation {
	p.t.Helper()
	tr, err := p.send(members...)
	if err != nil {
		p.t.Fatalf("%s: %v", p.family.name, err)
	}
	return tr
}

// ignores reports whether a member of the request has no effect.
func (p probe) ignores(name string, members ...string) bool {
	p.t.Helper()
	return slices.Contains(p.sent(members...).ignored(), name)
}

func (p probe) temperature() string {
	if p.ignores("temperature", `"temperature":1`) {
		return "ignored"
	}
	if _, err := p.send(`"temperature":1.01`); err == nil {
		p.t.Errorf("%s takes a temperature above 1", p.family.name)
	}
	return "0 to 1"
}

func (p probe) topP() string {
	switch {
	case p.ignores("top_p", `"top_p":1`):
		return "ignored"
	case p.ignores("top_p", `"top_p":1`, `"temperature":1`):
		return "ignored beside `temperature`"
	}
	return "0 to 1"
}

func (p probe) topK() string {
	switch {
	case p.ignores("top_k", `"top_k":1`):
		return "ignored"
	case p.ignores("top_k", `"top_k":129`):
		return "1 to 128"
	}
	return "from 1"
}

func (p probe) stop() string {
	if n := len(p.sent(`"stop":["a","b","c","d"]`).input.InferenceConfig.StopSequences); n != 4 {
		p.t.Errorf("%s is sent %d of 4 stop sequences", p.family.name, n)
	}
	if p.ignores("stop", `"stop":["\n"]`) {
		return "not blank"
	}
	return "used"
}

func (p probe) tier() string {
	flex, priority := p.ignores("service_tier", `"service_tier":"flex"`), p.ignores("service_tier", `"service_tier":"priority"`)
	if flex != priority {
		p.t.Errorf("%s takes one tier only", p.family.name)
	}
	if flex {
		return "ignored"
	}
	return "`flex`, `priority`"
}

// reasoning is what is sent for three efforts, and what else that means.
func (p probe) reasoning() string {
	var values []string
	path := ""
	for _, effort := range []string{"low", "medium", "high"} {
		tr := p.sent(`"reasoning_effort":"` + effort + `"`)
		leaves := leaves(p.t, tr)
		reported := slices.Contains(tr.ignored(), "reasoning_effort")
		if reported && len(leaves) == 0 {
			continue
		}
		delete(leaves, "thinking.type")
		delete(leaves, "reasoningConfig.type")
		if len(leaves) != 1 {
			p.t.Fatalf("%s is sent %v", p.family.name, leaves)
		}
		for name, value := range leaves {
			path = name
			if reported {
				value += " (reported)"
			}
			values = append(values, value)
		}
	}
	noneIgnored := p.ignores("reasoning_effort", `"reasoning_effort":"none"`)
	if len(values) == 0 {
		if noneIgnored {
			return "ignored: reasons always"
		}
		return "ignored"
	}
	cell := "`" + path + "` " + strings.Join(values, ", ")
	if noneIgnored {
		cell += "; `none` is ignored"
	}
	if p.ignores("temperature", `"reasoning_effort":"low"`, `"temperature":1`) && !p.ignores("temperature", `"temperature":1`) {
		cell += "; without sampling parameters"
	} else if p.ignores("temperature", `"reasoning_effort":"high"`, `"temperature":1`) && !p.ignores("temperature", `"temperature":1`) {
		cell += "; `high` without sampling parameters"
	}
	if p.ignores("reasoning_effort", `"reasoning_effort":"low"`, `"max_tokens":2047`) {
		cell += "; not below 2,048 `max_tokens`"
		if len(leaves(p.t, p.sent(`"reasoning_effort":"low"`, `"max_tokens":2048`))) == 0 {
			p.t.Errorf("%s does not begin to reason at 2,048 tokens", p.family.name)
		}
	}
	if p.family.can(tools|anyTool) && p.ignores("reasoning_effort", `"reasoning_effort":"low"`, `"tools":`+offered, `"tool_choice":"required"`) {
		cell += "; not with a forced tool"
	}
	return cell
}

// leaves are the values of the fields that are not in the model of Converse, and
// of the effort, by path.
func leaves(t *testing.T, tr *translation) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		if o, ok := v.(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(o)) {
				walk(strings.TrimPrefix(path+"."+name, "."), o[name])
			}
			return
		}
		found[path] = fmt.Sprint(v)
	}
	raw, err := tr.fields.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	walk("", fields)
	if c := tr.input.OutputConfig; c != nil && c.Effort != nil {
		found["outputConfig.effort"] = *c.Effort
	}
	return found
}

func (p probe) tools() string {
	if _, err := p.send(`"tools":` + offered); err != nil {
		return "400"
	}
	return "used"
}

func (p probe) required() string {
	tr := p.sent(`"tools":`+offered, `"tool_choice":"required"`)
	_, isAny := tr.input.ToolConfig.ToolChoice.(*types.ToolChoiceMemberAny)
	forced := isAny || leaves(p.t, tr)["tool_choice.type"] == "any"
	if forced == slices.Contains(tr.ignored(), "tool_choice") {
		p.t.Errorf("%s: tool_choice has an effect and is reported, or neither", p.family.name)
	}
	if !forced {
		return "ignored"
	}
	return "forced"
}

func (p probe) named() string {
	const choice = `"tool_choice":{"type":"function","function":{"name":"rate"}}`
	tr := p.sent(`"tools":`+offered, choice)
	_, isTool := tr.input.ToolConfig.ToolChoice.(*types.ToolChoiceMemberTool)
	_, isAny := tr.input.ToolConfig.ToolChoice.(*types.ToolChoiceMemberAny)
	switch only := len(tr.input.ToolConfig.Tools) == 1; {
	case isTool || leaves(p.t, tr)["tool_choice.type"] == "tool":
		return "forced"
	case isAny && only:
		return "forced, as the only one"
	case only && slices.Contains(tr.ignored(), "tool_choice"):
		return "ignored, but the only one"
	}
	p.t.Errorf("%s: a named tool is not asked for", p.family.name)
	return ""
}

func (p probe) oneCall() string {
	if leaves(p.t, p.sent(`"tools":`+offered))["tool_choice.disable_parallel_tool_use"] == "true" {
		return "asked for"
	}
	return "put back if not"
}

func (p probe) strict() string {
	for _, tool := range p.sent(`"tools":` + offered).input.ToolConfig.Tools {
		if spec, ok := tool.(*types.ToolMemberToolSpec); ok && spec.Value.Strict != nil {
			return "used"
		}
	}
	return "left out"
}
