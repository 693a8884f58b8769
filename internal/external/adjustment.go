package external

import (
	"bytes"
	"encoding/json"
	"strconv"

	"hyperstudy-endpoint/internal/openai"
)

// An action is what an adjustment does.
type action int

const (
	rename      action = iota // param is sent under the name in value
	drop                      // param is not sent, unless it has the value in value
	raise                     // the token limit is at least least
	systemRole                // developer messages are sent as system messages
	looseTools                // tools are sent without strict
	looseSchema               // the response format is sent without strict
	plainChoice               // a tool choice that is an object is sent as its mode, with the tools it allows alone
	autoChoice                // a forced tool choice is sent as auto
	streamOn                  // a stream is asked for though nobody wants one
	streamOff                 // no stream is asked for though one is wanted
)

// An adjustment is one difference between what callers send and what a model
// takes.
type adjustment struct {
	action  action
	param   string
	value   string
	least   int
	with    string // a parameter in whose presence alone the adjustment is needed
	without string // a parameter in whose absence alone it is needed; a drop then loses nothing
}

// undoes reports whether one adjustment takes back the other.
func (a adjustment) undoes(b adjustment) bool {
	return a.action == rename && b.action == rename && a.value == b.param
}

// fits reports whether the request has something to adjust.
func (a adjustment) fits(sent *openai.Object) bool {
	next := sent.Clone()
	changed, _ := a.apply(&next)
	return changed
}

// apply adjusts the request. It reports whether there was something to change,
// and the parameter of the caller's that had its effect taken, if any.
func (a adjustment) apply(o *openai.Object) (changed bool, lost string) {
	if a.with != "" && !o.Has(a.with) || a.without != "" && o.Has(a.without) {
		return false, ""
	}
	switch a.action {
	case rename:
		return renameMember(o, a.param, a.value), ""
	case drop:
		return a.drop(o)
	case raise:
		return a.raise(o)
	case systemRole:
		return editList(o, "messages", func(m *openai.Object) bool {
			return replace(m, "role", string(openai.RoleDeveloper), string(openai.RoleSystem))
		}), ""
	case looseTools:
		return editList(o, "tools", func(t *openai.Object) bool { return loosen(t, "function") }), "tools.function.strict"
	case looseSchema:
		return edit(o, "response_format", func(f *openai.Object) bool { return loosen(f, "json_schema") }), "response_format.json_schema.strict"
	case plainChoice:
		return plainToolChoice(o), ""
	case autoChoice:
		return replace(o, "tool_choice", openai.ChoiceRequired, openai.ChoiceAuto), "tool_choice"
	case streamOn:
		changed = !isTrue(o.Get("stream"))
		o.Set("stream", json.RawMessage("true"))
		return changed, ""
	case streamOff:
		changed = isTrue(o.Get("stream"))
		setStream(o, false)
		return changed, ""
	}
	return false, ""
}

func (a adjustment) drop(o *openai.Object) (bool, string) {
	value := o.Get(a.param)
	if value == nil || a.value != "" && sameNumber(value, a.value) {
		return false, ""
	}
	meant := o.Has(a.param) && a.without == ""
	o.Delete(a.param)
	if !meant {
		return true, ""
	}
	return true, a.param
}

// sameNumber compares as numbers, so that 1 is 1.0.
func sameNumber(raw json.RawMessage, want string) bool {
	got, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil {
		return false
	}
	n, err := strconv.ParseFloat(want, 64)
	return err == nil && got == n
}

func (a adjustment) raise(o *openai.Object) (bool, string) {
	param := limitParam(o)
	if param == "" || number(o.Get(param)) >= a.least {
		return false, ""
	}
	o.Set(param, strconv.AppendInt(nil, int64(a.least), 10))
	return true, param
}

// renameMember gives a member another name where it stands. A caller that sent
// both limits of the completion means max_completion_tokens.
func renameMember(o *openai.Object, from, to string) bool {
	if o.Get(from) == nil {
		return false
	}
	value := o.Get(from)
	if limit := limitParam(o); limit != "" {
		value = o.Get(limit)
	}
	var renamed openai.Object
	for _, m := range o.Members() {
		switch m.Name {
		case from:
			renamed.Set(to, value)
		case to:
		default:
			renamed.Set(m.Name, m.Value)
		}
	}
	*o = renamed
	return true
}

// replace changes a member that is the string from.
func replace(o *openai.Object, name, from, to string) bool {
	if text(o.Get(name)) != from {
		return false
	}
	o.Set(name, json.RawMessage(strconv.Quote(to)))
	return true
}

// loosen takes strict out of the object under name.
func loosen(o *openai.Object, name string) bool {
	return edit(o, name, func(inner *openai.Object) bool {
		if inner.Get("strict") == nil {
			return false
		}
		inner.Delete("strict")
		return true
	})
}

// edit changes the object under name.
func edit(o *openai.Object, name string, change func(*openai.Object) bool) bool {
	inner, ok := member(o, name)
	if !ok || !change(&inner) {
		return false
	}
	encoded, err := inner.MarshalJSON()
	if err != nil {
		return false
	}
	o.Set(name, encoded)
	return true
}

// editList changes the objects of the array under name. Those that do not
// change keep their bytes.
func editList(o *openai.Object, name string, change func(*openai.Object) bool) bool {
	items := list(o.Get(name))
	changed := false
	for i, item := range items {
		inner, ok := object(item)
		if !ok || !change(&inner) {
			continue
		}
		encoded, err := inner.MarshalJSON()
		if err != nil {
			return false
		}
		items[i], changed = encoded, true
	}
	if changed {
		o.Set(name, array(items))
	}
	return changed
}

// array is the JSON array of the items, each of which keeps its bytes.
func array(items []json.RawMessage) json.RawMessage {
	joined := []byte{'['}
	for i, item := range items {
		if i > 0 {
			joined = append(joined, ',')
		}
		joined = append(joined, item...)
	}
	return append(joined, ']')
}
