package awstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schemaType(c *call) string {
	return c.eachTool(func(i int, t *toolSpec) string {
		if schemaObject(t.InputSchema.JSON)["type"] == "object" {
			return ""
		}
		return fmt.Sprintf("The value at toolConfig.tools.%d.toolSpec.inputSchema.json.type must be one of the following: object.", i)
	})
}

func schemaTop(c *call) string {
	return c.eachTool(func(i int, t *toolSpec) string {
		schema := schemaObject(t.InputSchema.JSON)
		for _, key := range []string{"oneOf", "allOf", "anyOf"} {
			if schema[key] != nil {
				return fmt.Sprintf("tools.%d.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", i)
			}
		}
		return ""
	})
}

// schemaDialect holds Claude's schemas to draft 2020-12 and Nova's to its few
// keywords. Of other families no dialect is known.
func schemaDialect(c *call) string {
	return c.eachTool(func(i int, t *toolSpec) string {
		switch schema := schemaObject(t.InputSchema.JSON); {
		case c.traits.claude:
			if !isDraft2020(schema) {
				return fmt.Sprintf("tools.%d.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).", i)
			}
			return propertyKeys(schema, i)
		case c.traits.nova:
			return novaSchema(schema, i)
		default:
			return ""
		}
	})
}

var propertyKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func propertyKeys(schema map[string]any, i int) (message string) {
	eachSchema(schema, func(s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for key := range properties {
			if !propertyKey.MatchString(key) {
				message = fmt.Sprintf("tools.%d.custom.input_schema.properties: Property keys should match pattern '%s'", i, propertyKey)
			}
		}
	})
	return message
}

// novaSchema is the rule of "Tool use" in the Amazon Nova User Guide: only type,
// properties and required at the top.
func novaSchema(schema map[string]any, i int) (message string) {
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		if !slices.Contains([]string{"type", "properties", "required"}, key) {
			return fmt.Sprintf("The value at toolConfig.tools.%d.toolSpec.inputSchema.json is invalid: %s is not supported at the top level.", i, key)
		}
	}
	eachSchema(schema, func(s map[string]any) {
		if s["$ref"] != nil {
			message = fmt.Sprintf("The value at toolConfig.tools.%d.toolSpec.inputSchema.json is invalid: $ref is not supported.", i)
		}
	})
	return message
}

// additionalProperties passes over strict tools, which need the keyword.
func additionalProperties(c *call) string {
	return c.eachTool(func(i int, t *toolSpec) (message string) {
		if t.Strict {
			return ""
		}
		eachSchema(schemaObject(t.InputSchema.JSON), func(s map[string]any) {
			if _, ok := s["additionalProperties"]; ok {
				message = fmt.Sprintf("The value at toolConfig.tools.%d.toolSpec.inputSchema.json is invalid: additionalProperties is not supported.", i)
			}
		})
		return message
	})
}

// strictSchema holds a schema to what structured outputs take.
func strictSchema(raw json.RawMessage) (message string) {
	unsupported := []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems",
	}
	eachSchema(schemaObject(raw), func(s map[string]any) {
		for _, key := range unsupported {
			if _, ok := s[key]; ok {
				message = fmt.Sprintf("For '%v' type, property '%s' is not supported", s["type"], key)
			}
		}
		if n, ok := s["minItems"].(json.Number); ok && n != "0" && n != "1" {
			message = "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
		}
		if s["type"] == "object" && s["additionalProperties"] != false {
			message = "For 'object' type, 'additionalProperties' must be explicitly set to false"
		}
	})
	return message
}

// tooComplex counts, over the schemas of a request that structured outputs have to
// compile, the properties that are optional and those of several types.
func tooComplex(schemas []json.RawMessage) string {
	const maxOptional, maxUnions = 24, 16
	optional, unions := 0, 0
	for _, raw := range schemas {
		eachSchema(schemaObject(raw), func(s map[string]any) {
			properties, _ := s["properties"].(map[string]any)
			required, _ := s["required"].([]any)
			for name := range properties {
				if !slices.Contains(required, any(name)) {
					optional++
				}
			}
			_, anyOf := s["anyOf"]
			if _, types := s["type"].([]any); types || anyOf {
				unions++
			}
		})
	}
	switch {
	case optional > maxOptional:
		return fmt.Sprintf("Schemas contains too many optional parameters (%d), which would make grammar compilation inefficient. "+
			"Reduce the number of optional parameters in your tool schemas (limit: %d).", optional, maxOptional)
	case unions > maxUnions:
		return fmt.Sprintf("Schemas contains too many parameters with union types (%d parameters with type arrays or anyOf) "+
			"which exceeds the limit: %d", unions, maxUnions)
	}
	return ""
}

// schemaObject is a schema decoded, or nil if it is no object.
func schemaObject(raw json.RawMessage) map[string]any {
	value, err := decode(raw)
	if err != nil {
		return nil
	}
	schema, _ := value.(map[string]any)
	return schema
}

// eachSchema visits a schema and those within it, in a fixed order.
func eachSchema(value any, visit func(map[string]any)) {
	schema, ok := value.(map[string]any)
	if !ok {
		return
	}
	visit(schema)
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		v := schema[key]
		switch key {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			named, _ := v.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(named)) {
				eachSchema(named[name], visit)
			}
		case "allOf", "anyOf", "oneOf", "prefixItems":
			list, _ := v.([]any)
			for _, s := range list {
				eachSchema(s, visit)
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			eachSchema(v, visit)
		}
	}
}

// anyPattern stands in for regular expressions: Claude's are not Go's, and
// whether they compile is not the question.
type anyPattern string

func (anyPattern) MatchString(string) bool { return true }
func (p anyPattern) String() string        { return string(p) }

// noLoader keeps a schema from referring to files and the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, errors.New("not loaded: " + url) }

// isDraft2020 says whether a schema is one of draft 2020-12 whose references
// resolve. Its $schema is ignored, as it is by the service.
func isDraft2020(schema map[string]any) bool {
	plain := maps.Clone(schema)
	delete(plain, "$schema")
	raw, err := json.Marshal(plain)
	if err != nil {
		return false
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return false
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) { return anyPattern(s), nil })
	if err := compiler.AddResource("schema.json", doc); err != nil {
		return false
	}
	_, err = compiler.Compile("schema.json")
	return err == nil
}
