package external

import (
	"encoding/json"
	"strings"

	"hyperstudy-endpoint/internal/openai"
)

// A call is a tool call that is being put together.
type call struct {
	id, name string
	index    string          // what the upstream gave as its index, if anything
	extra    json.RawMessage // what the upstream wants to see again with the call
	args     strings.Builder
	brackets brackets // of args
	judged   bool     // whether args, with all brackets closed, have been parsed
	whole    bool     // they are an object
}

// complete reports whether the arguments are a whole JSON object. They are
// parsed only once they may be one.
func (c *call) complete() bool {
	if !c.brackets.closed() {
		return false
	}
	if !c.judged {
		_, c.whole = object(json.RawMessage(c.args.String()))
		c.judged = true
	}
	return c.whole
}

// calls puts tool calls together from the pieces of a stream, whose indexes and
// ids cannot be relied on.
type calls struct {
	all  []*call
	size int // of all arguments, in bytes
}

// tooMany reports whether the calls are beyond what any study needs.
func (c *calls) tooMany() bool { return len(c.all) > maxCalls || c.size > maxArguments }

// add takes an element of tool_calls. In a whole reply each is a call of its
// own; in a stream it may continue one.
func (c *calls) add(o *openai.Object, whole bool) {
	f, ok := member(o, "function")
	if !ok {
		f = *o // some servers leave the wrapper out
	}
	id, name, index := word(o.Get("id")), text(f.Get("name")), word(o.Get("index"))
	var target *call
	if !whole {
		target = c.find(id, name, index)
	}
	if target == nil {
		target = &call{index: index}
		c.all = append(c.all, target)
	}
	if target.id == "" {
		target.id = id
	}
	if target.name == "" {
		target.name = name
	}
	if extra := o.Get("extra_content"); len(extra) <= maxExtra && o.Has("extra_content") {
		target.extra = extra
	}
	piece := jsonText(f.Get("arguments"))
	if !whole && piece == target.args.String() && target.complete() {
		return // some servers repeat the whole arguments in their last chunk
	}
	target.args.WriteString(piece)
	target.brackets.add(piece)
	c.size += len(piece)
}

// find returns the call that a piece continues, nil if it opens one. A new id
// opens a call, and so does a name where the call it would continue has another
// or is complete.
func (c *calls) find(id, name, index string) *call {
	last := c.last(index)
	if id != "" {
		for _, have := range c.all {
			if have.id == id && (name == "" || have.index == index || !have.complete()) {
				return have
			}
		}
	}
	elsewhere := last != nil && index != "" && last.index != index
	switch {
	case last == nil, id == "" && name == "":
		return last
	case elsewhere:
		return nil
	case id != "" && (last.id != "" || last.name != "" && name != ""):
		return nil
	case id == "" && (last.complete() || last.name != "" && last.name != name):
		return nil
	}
	return last
}

// last returns the latest call with the index, or the latest of all.
func (c *calls) last(index string) *call {
	for i := len(c.all) - 1; i >= 0 && index != ""; i-- {
		if c.all[i].index == index {
			return c.all[i]
		}
	}
	if len(c.all) == 0 {
		return nil
	}
	return c.all[len(c.all)-1]
}

// list returns the calls with ids that are there and unique.
func (c *calls) list(newID func() string) []openai.ToolCall {
	var done []openai.ToolCall
	seen := map[string]bool{"": true}
	for _, have := range c.all {
		id := have.id
		for seen[id] {
			id = "call_" + newID()
		}
		seen[id] = true
		done = append(done, openai.ToolCall{
			ID:       id,
			Type:     "function",
			Function: openai.FunctionCall{Name: have.name, Arguments: have.args.String()},
			Extra:    have.extra,
		})
	}
	return done
}
