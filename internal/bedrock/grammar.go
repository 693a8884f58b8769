package bedrock

import (
	"encoding/json"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// Limits on all schemas of a request that structured outputs compile into one
// grammar; beyond them Bedrock refuses the request:
// https://github.com/vercel/ai/pull/17268 and
// https://github.com/strands-agents/harness-sdk/issues/2664
const (
	maxStrictTools = 20
	maxOptional    = 24 // properties that need not be there
	maxUnions      = 16 // schemas with several types or alternatives
)

// A grammar counts what the schemas cost that structured outputs have to compile.
type grammar struct {
	tools, optional, unions int
}

// holds adds a schema of the subset to the grammar if it then is within the limits.
// Otherwise the request does without structured outputs for this schema.
func (g *grammar) holds(schema json.RawMessage, tool bool) bool {
	more := *g
	if tool {
		more.tools++
	}
	more.count(schema)
	if more.tools > maxStrictTools || more.optional > maxOptional || more.unions > maxUnions {
		return false
	}
	*g = more
	return true
}

func (g *grammar) count(schema json.RawMessage) {
	o, err := openai.SplitObject(schema)
	if err != nil {
		return // no schema of the subset
	}
	if o.Has("anyOf") || stringsOf(o.Get("type")) != nil {
		g.unions++
	}
	properties, _ := openai.SplitObject(o.Get("properties")) // of none, an empty one
	required := stringsOf(o.Get("required"))
	for _, p := range properties.Members() {
		if !slices.Contains(required, p.Name) {
			g.optional++
		}
		g.count(p.Value)
	}
	for _, alternative := range listOf(o.Get("anyOf")) {
		g.count(alternative)
	}
	g.count(o.Get("items"))
}
