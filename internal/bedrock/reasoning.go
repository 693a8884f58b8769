package bedrock

import (
	"encoding/json"
	"strconv"

	"hyperstudy-endpoint/internal/openai"
)

// An effort is how much the caller wants the model to reason.
type effort int

const (
	unsaid effort = iota
	off
	low
	medium
	high
	most
)

// efforts are the values of reasoning_effort.
var efforts = map[string]effort{
	"none": off, "minimal": off, "low": low, "medium": medium, "high": high, "xhigh": most, "max": most,
}

// Names of efforts in the requests of the families.
var (
	threeLevels = map[effort]string{low: "low", medium: "medium", high: "high", most: "high"}
	twoLevels   = map[effort]string{low: "low", medium: "high", high: "high", most: "high"}
	fourLevels  = map[effort]string{low: "low", medium: "medium", high: "high", most: "max"}
)

// budgets are the thinking budgets of Claude models, in tokens.
var budgets = map[effort]int{low: 2048, medium: 8192, high: 16384, most: mostBudget}

const (
	leastBudget = 1024  // that these models take
	mostBudget  = 24576 // leaves a quarter of thinkingTokens to the answer
	// thinkingTokens is the max_tokens for a model that thinks on a budget and whose
	// caller set none: all of them can write that much. Bedrock refuses a budget that
	// is not below the limit, and the limit that it puts in itself may be lower:
	// https://github.com/zed-industries/zed/issues/31289
	thinkingTokens = 32_000
	// leastThinking is the max_tokens from which on Claude models may think: half
	// of it is kept for the answer.
	leastThinking = 2 * leastBudget
)

// A wish is what the request says of reasoning.
type wish struct {
	effort effort
	budget int      // in tokens; 0 if it names none
	params []string // the parameters that say it
}

// reasoningWish reads reasoning_effort, and the switches of other APIs that
// clients send to any server: thinking and chat_template_kwargs.
func (t *translation) reasoningWish() (wish, error) {
	var w wish
	say := func(e effort, param string) {
		if w.effort == unsaid || e == off {
			w.effort = e
		}
		w.params = append(w.params, param)
	}
	if name := t.req.ReasoningEffort; name != "" {
		e, ok := efforts[name]
		if !ok {
			return w, openai.InvalidValue("reasoning_effort", "Invalid value for 'reasoning_effort'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high' and 'xhigh'.")
		}
		say(e, "reasoning_effort")
	}
	var thinking struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	}
	if raw := t.req.Body.Get("thinking"); raw != nil && json.Unmarshal(raw, &thinking) == nil {
		switch thinking.Type {
		case "disabled":
			say(off, "thinking")
		case "enabled", "adaptive":
			say(medium, "thinking")
			w.budget = max(0, thinking.Budget)
		}
	}
	var template map[string]json.RawMessage
	if raw := t.req.Body.Get("chat_template_kwargs"); raw != nil && json.Unmarshal(raw, &template) == nil && len(template) == 1 {
		switch string(template["enable_thinking"]) {
		case "false":
			say(off, "chat_template_kwargs")
		case "true":
			say(medium, "chat_template_kwargs")
		}
	}
	return w, nil
}

// addReasoning tells the model how much to reason, where it can be told.
func (t *translation) addReasoning() error {
	w, err := t.reasoningWish()
	if err != nil || w.effort == unsaid {
		return err
	}
	form := t.family.reasoning
	switch {
	case form == alwaysReasoning:
	case form == effortReasoning: // has no off: the least is low
		t.fields.Set("reasoning_effort", quote(threeLevels[max(w.effort, low)]))
		if w.effort != off {
			t.honour(w.params...)
		}
	case w.effort == off && form == twoReasoning: // has no off, and is off unasked in some models only
	case w.effort == off: // what happens unasked
		t.honour(w.params...)
	case form == noReasoning || t.noThinking(form):
	default:
		t.think(form, w)
		t.honour(w.params...)
	}
	return nil
}

// noThinking reports whether this request excludes reasoning on models that
// demand more of a request once they reason.
func (t *translation) noThinking(form reasoningForm) bool {
	switch form {
	case twoReasoning:
		return false
	case threeReasoning: // does not call tools while it reasons
		return len(t.req.CallableTools()) > 0
	case noReasoning, alwaysReasoning, budgetReasoning, adaptiveReasoning, novaReasoning, effortReasoning:
	}
	return t.forced() || t.continuesCall() ||
		t.req.MaxTokens != nil && *t.req.MaxTokens < leastThinking
}

// continuesCall reports whether the last assistant message of the history is a
// tool call. A model that thinks wants the signed thinking before that call, which
// a chat completion cannot carry.
func (t *translation) continuesCall() bool {
	if len(t.req.CallableTools()) == 0 {
		return false // calls become text
	}
	for i := len(t.req.Messages) - 1; i >= 0; i-- {
		if m := &t.req.Messages[i]; m.Role == openai.RoleAssistant {
			return len(m.ToolCalls) > 0
		}
	}
	return false
}

func (t *translation) think(form reasoningForm, w wish) {
	switch form {
	case budgetReasoning:
		budget := budgets[w.effort]
		if w.budget > 0 {
			budget = max(w.budget, leastBudget)
		}
		most := mostBudget
		if t.req.MaxTokens != nil {
			most = *t.req.MaxTokens / 2
		}
		budget = min(budget, most)
		t.fields.Set("thinking", json.RawMessage(`{"type":"enabled","budget_tokens":`+strconv.Itoa(budget)+`}`))
	case adaptiveReasoning:
		t.fields.Set("thinking", json.RawMessage(`{"type":"adaptive"}`))
		t.setEffort(fourLevels[w.effort])
	case novaReasoning:
		level := threeLevels[w.effort]
		if t.req.MaxTokens != nil && level == "high" {
			level = "medium" // high takes no limit, and the caller's limit comes first
		}
		t.fields.Set("reasoningConfig", json.RawMessage(`{"type":"enabled","maxReasoningEffort":"`+level+`"}`))
		if level != "high" {
			return // goes on as without reasoning
		}
	case twoReasoning:
		t.fields.Set("reasoning_config", quote(twoLevels[w.effort]))
		return
	case threeReasoning:
		t.fields.Set("reasoning_config", quote(threeLevels[w.effort]))
		return
	case noReasoning, alwaysReasoning, effortReasoning:
		return
	}
	t.thinks = true
}

// samples reports whether the sampling parameters may be sent.
func (t *translation) samples() bool { return t.family.sampling != noSampling && !t.thinks }

// quote is a word as a JSON string.
func quote(word string) json.RawMessage { return json.RawMessage(strconv.Quote(word)) }
