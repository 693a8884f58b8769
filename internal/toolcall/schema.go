package toolcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of the schemas of one request. They are far above what a screen of an
// experiment needs and low enough that no request can stall the endpoint.
const (
	maxSchemaBytes  = 256 << 10 // of all schemas of a request together
	maxSchemaDepth  = 64
	maxSchemaValues = 30000 // JSON values of one schema
	maxEnum         = 2000
)

// A schema is a compiled JSON Schema, safe for concurrent use.
type schema struct {
	root       *jsonschema.Schema
	byLocation map[string]*jsonschema.Schema
	kinds      map[*jsonschema.Schema]valueKind // what each subschema may accept
	patterns   int                              // the size of the compiled patterns
}

// A schemaError says what is wrong with a schema, without a word of it.
type schemaError struct {
	pointer string
	reason  string
}

func (e *schemaError) Error() string {
	if e.pointer == "" {
		return "the schema " + e.reason
	}
	return fmt.Sprintf("the schema at %s %s", anonymous(e.pointer), e.reason)
}

// named are the keywords whose members are named by the schema's author.
var named = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired", "dependencies"}

// anonymous returns a pointer into a schema with * in place of the names that
// its author gave, which may be the words of a question.
func anonymous(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i := 1; i < len(tokens); i++ {
		if slices.Contains(named, tokens[i-1]) {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// noParameters is the schema of a tool without parameters.
var noParameters = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// compile compiles a JSON Schema. Errors are a *schemaError.
func compile(raw json.RawMessage) (*schema, error) {
	doc, bad := parse(string(raw), limits{depth: maxSchemaDepth, values: maxSchemaValues})
	if bad != nil {
		return nil, &schemaError{bad.pointer, bad.message}
	}
	value := doc.root.value()
	if err := checkSchema(value); err != nil {
		return nil, err
	}
	const base = "https://schema.invalid/" // a name that cannot exist: RFC 6761
	var ps patterns
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(refuseAll{})
	c.UseRegexpEngine(ps.engine)
	if err := c.AddResource(base, value); err != nil {
		return nil, &schemaError{reason: "cannot be read"}
	}
	root, err := c.Compile(base)
	if err != nil {
		return nil, compileError(err, ps.err)
	}
	s := &schema{
		root: root, patterns: ps.size,
		byLocation: map[string]*jsonschema.Schema{}, kinds: map[*jsonschema.Schema]valueKind{},
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	return s, nil
}

// errRemote is what loading anything over the network ends with.
var errRemote = errors.New("schemas are never loaded from elsewhere")

// refuseAll is a loader that loads nothing.
type refuseAll struct{}

func (refuseAll) Load(string) (any, error) { return nil, errRemote }

// compileError words what the compiler found. The compiler's own texts quote
// the schema, which is no text to send back or to log.
func compileError(err, badPattern error) *schemaError {
	var (
		invalid  *jsonschema.SchemaValidationError
		notFound *jsonschema.JSONPointerNotFoundError
		noAnchor *jsonschema.AnchorNotFoundError
		badPtr   *jsonschema.InvalidJsonPointerError
		remote   *jsonschema.LoadURLError
	)
	switch {
	case badPattern != nil:
		return &schemaError{reason: badPattern.Error()}
	case errors.As(err, &remote):
		return &schemaError{reason: "refers to another document; only references within the schema are supported"}
	case errors.As(err, &notFound), errors.As(err, &noAnchor), errors.As(err, &badPtr):
		return &schemaError{reason: "has a reference to something it does not hold"}
	case errors.As(err, &invalid):
		return &schemaError{pointer: faultyKeyword(invalid.Err), reason: "is not valid JSON Schema"}
	default:
		return &schemaError{reason: "cannot be compiled: it is not valid JSON Schema"}
	}
}

// faultyKeyword returns the pointer to the first place that the metaschema
// complains about.
func faultyKeyword(err error) string {
	var found []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			found = append(found, pointer(e.InstanceLocation))
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	var ve *jsonschema.ValidationError
	if errors.As(err, &ve) {
		walk(ve)
	}
	least := ""
	for i, p := range found {
		if i == 0 || p < least {
			least = p
		}
	}
	return least
}
