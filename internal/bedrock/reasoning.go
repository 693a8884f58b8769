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

// levels are the efforts in the requests of the families. None has all of them.
var levels = map[effort]string{low: "low", medium: "medium", high: "high", most: "max"}

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
	budget json.RawMessage // thinking.budget_tokens; nil if there is none
	params []string        // the parameters that say it
}

// say adds what a parameter says: off beats on, and the first effort the others.
func (w *wish) say(e effort, param string) {
	switch {
	case w.effort == unsaid:
		w.effort = e
	case e == off && w.effort != off:
		*w = wish{effort: off}
	case e != off && w.effort == off:
		return
	}
	w.params = append(w.params, param)
}

// reasoningWish reads reasoning_effort, and the switches of other APIs that
// clients send to any server: thinking and chat_template_kwargs.
func (t *translation) reasoningWish() (wish, error) {
	var w wish
	if name := t.req.ReasoningEffort; name != "" {
		e, ok := efforts[name]
		if !ok {
			return w, openai.InvalidValue("reasoning_effort", "Invalid value for 'reasoning_effort'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high' and 'xhigh'.")
		}
		w.say(e, "reasoning_effort")
	}
	var thinking struct {
		Type   string          `json:"type"`
		Budget json.RawMessage `json:"budget_tokens"`
	}
	if raw := t.req.Body.Get("thinking"); raw != nil && json.Unmarshal(raw, &thinking) == nil {
		switch thinking.Type {
		case "disabled":
			w.say(off, "thinking")
		case "enabled", "adaptive":
			w.say(medium, "thinking")
			if w.effort != off && string(thinking.Budget) != "null" {
				w.budget = thinking.Budget
			}
		}
	}
	var template map[string]json.RawMessage
	if raw := t.req.Body.Get("chat_template_kwargs"); raw != nil && json.Unmarshal(raw, &template) == nil && len(template) == 1 {
		switch string(template["enable_thinking"]) {
		case "false":
			w.say(off, "chat_template_kwargs")
		case "true":
			w.say(medium, "chat_template_kwargs")
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
	budget := 0
	if form == budgetReasoning && w.budget != nil {
		if budget, err = t.budget(w.budget); err != nil {
			return err
		}
	}
	switch {
	case form == alwaysReasoning:
	case w.effort == off && form == effortReasoning: // has no off: the least is low
		t.fields.Set("reasoning_effort", quote(levels[low]))
	case w.effort == off && form == twoReasoning: // has no off, and is off unasked in some models only
	case w.effort == off: // what happens unasked
		t.honour(w.params...)
	case form == noReasoning || t.noThinking(form):
	default:
		t.honourWish(w, t.think(form, w.effort, budget))
	}
	return nil
}

// budget reads the caller's budget, which Claude models hold against max_tokens.
func (t *translation) budget(raw json.RawMessage) (int, error) {
	const name = "thinking.budget_tokens"
	limit := thinkingTokens
	if t.req.MaxTokens != nil {
		limit = *t.req.MaxTokens
	}
	var budget int
	whole := json.Unmarshal(raw, &budget) == nil
	switch {
	case limit < leastThinking: // reasoning stays off
		if !whole || budget < leastBudget {
			return 0, openai.InvalidValue(name, "Invalid value for '%s': it must be an integer of at least %d.", name, leastBudget)
		}
	case !whole || budget < leastBudget || budget >= limit:
		return 0, openai.InvalidValue(name, "Invalid value for '%s': it must be an integer between %d and %d, which is one below 'max_tokens' (%d). Set a higher 'max_tokens' for a higher budget.",
			name, leastBudget, limit-1, limit)
	}
	return budget, nil
}

// honourWish notes what of a wish has an effect; exact is whether the model
// reasons as much as reasoning_effort says.
func (t *translation) honourWish(w wish, exact bool) {
	for _, param := range w.params {
		lost := param == "reasoning_effort" && !exact ||
			param == "thinking" && w.budget != nil && t.family.reasoning != budgetReasoning
		if !lost {
			t.honour(param)
		}
	}
}

// noThinking reports whether this request excludes reasoning on models that
// demand more of a request once they reason.
func (t *translation) noThinking(form reasoningForm) bool {
	switch form {
	case twoReasoning, effortReasoning:
		return false
	case threeReasoning: // does not call tools while it reasons
		return len(t.req.CallableTools()) > 0
	case noReasoning, alwaysReasoning, budgetReasoning, adaptiveReasoning, novaReasoning:
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

// think tells the model to reason, on the caller's budget if there is one. It
// reports whether the model reasons as much as the effort says.
func (t *translation) think(form reasoningForm, e effort, budget int) bool {
	t.thinks = true
	sent := min(e, high)
	switch form {
	case budgetReasoning:
		t.exclusive = true
		if budget == 0 {
			budget = t.room(budgets[e])
		}
		t.fields.Set("thinking", json.RawMessage(`{"type":"enabled","budget_tokens":`+strconv.Itoa(budget)+`}`))
		return budget == budgets[e]
	case adaptiveReasoning:
		t.exclusive = true
		sent = e
		t.fields.Set("thinking", json.RawMessage(`{"type":"adaptive"}`))
		t.setEffort(levels[sent])
	case novaReasoning:
		if t.req.MaxTokens != nil {
			sent = min(sent, medium) // high takes no limit, and the caller's limit comes first
		}
		t.exclusive = sent == high
		t.fields.Set("reasoningConfig", json.RawMessage(`{"type":"enabled","maxReasoningEffort":"`+levels[sent]+`"}`))
	case twoReasoning:
		if sent == medium {
			sent = high
		}
		t.fields.Set("reasoning_config", quote(levels[sent]))
	case threeReasoning:
		t.fields.Set("reasoning_config", quote(levels[sent]))
	case effortReasoning:
		t.fields.Set("reasoning_effort", quote(levels[sent]))
	case noReasoning, alwaysReasoning:
		return false
	}
	return sent == e
}

// room is what of a budget is left where half of max_tokens is kept for the answer.
func (t *translation) room(budget int) int {
	if t.req.MaxTokens == nil {
		return budget
	}
	return min(budget, *t.req.MaxTokens/2)
}

// samples reports whether the sampling parameters may be sent.
func (t *translation) samples() bool { return t.family.sampling != noSampling && !t.exclusive }

// quote is a word as a JSON string.
func quote(word string) json.RawMessage { return json.RawMessage(strconv.Quote(word)) }
