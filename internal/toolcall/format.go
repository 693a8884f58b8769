package toolcall

import (
	"encoding/json"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
	"hyperstudy-endpoint/internal/openai"
)

// A Format judges the text of answers that have to be JSON. It is safe for
// concurrent use.
type Format struct {
	schema *jsonschema.Schema // nil if any object will do
}

// NewFormat prepares the judgement of texts in the format f, which must want
// JSON. The error is an *[openai.Error] with status 400 about the schema.
func NewFormat(f openai.ResponseFormat) (*Format, error) {
	if f.Type != openai.FormatJSONSchema {
		return &Format{}, nil
	}
	const param = "response_format.json_schema.schema"
	if len(f.Schema) > maxSchemaBytes {
		return nil, openai.InvalidValue(param, "The schema in '%s' is larger than %d bytes.", param, maxSchemaBytes)
	}
	raw := f.Schema
	if isAbsent(raw) {
		raw = json.RawMessage(`{}`)
	}
	s, err := compiled.compile(raw)
	if err != nil {
		return nil, openai.InvalidValue(param, "Invalid '%s': %s.", param, err)
	}
	return &Format{s}, nil
}

// Judge judges the text of an answer. A text that is valid comes back byte for
// byte; one that is valid but for a code fence around it comes back without
// the fence; of any other the violations are listed.
func (f *Format) Judge(content string) (text string, mended []string, violations []Violation) {
	if len(content) > maxAnswerBytes {
		return content, nil, []Violation{tooLong}
	}
	b := &jsonschema.Budget{Steps: maxSteps}
	violations = f.violations(content, b)
	if len(violations) == 0 {
		return content, nil, nil
	}
	inner, fenced := unfence(content)
	if !fenced {
		return content, nil, violations
	}
	if inside := f.violations(inner, b); len(inside) > 0 {
		return content, nil, inside
	}
	return inner, []string{MendFencedJSON}, nil
}

func (f *Format) violations(text string, b *jsonschema.Budget) []Violation {
	d, bad := jsontree.Parse(text, answerLimits)
	if bad != nil {
		return []Violation{unreadable(bad)}
	}
	if f.schema == nil {
		if d.Root.Kind != jsontree.Object {
			return []Violation{{Message: "must be exactly one JSON object"}}
		}
		return nil
	}
	wrong, ok := f.schema.Validate(d.Root, b)
	if !ok {
		return []Violation{tooComplex}
	}
	return violationsOf(wrong, b)
}
