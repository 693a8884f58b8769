package toolcall

import (
	"encoding/json"

	"hyperstudy-endpoint/internal/jsontree"
)

const (
	// maxSchemaBytes bounds all schemas of a request together.
	maxSchemaBytes = 256 << 10
	// maxAnswerBytes is the longest text that is judged.
	maxAnswerBytes = 256 << 10
	// maxSteps is the work for one answer. It keeps the judgement of any answer well
	// under 100 ms of a whole CPU. A function of 256 MB has a seventh of one (Lambda
	// gives one for 1,769 MB), so the worst there takes up to 0.7 s of the time limit.
	maxSteps = 40000
)

// answerLimits bound the JSON of an answer.
var answerLimits = jsontree.Limits{Depth: 64, Values: 10000}

// noParameters is the schema of a tool without parameters.
var noParameters = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// parsing returns the steps that it takes to read a text.
func parsing(text string) int { return 1 + len(text)/64 }

// reducing returns the steps that it takes to reduce a name or an option to what
// counts in it.
func reducing(text string) int { return 1 + len(text)/16 }
