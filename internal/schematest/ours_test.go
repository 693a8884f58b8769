package schematest

import (
	"errors"
	"fmt"
	"slices"

	"hyperstudy-endpoint/internal/jsonschema"
	"hyperstudy-endpoint/internal/jsontree"
)

// budget is more than any case here needs.
const budget = 10_000_000

var errBudget = errors.New("the budget did not last")

// ours compiles with internal/jsonschema.
func ours(schema string) (judge, error) {
	s, err := jsonschema.Compile(schema)
	if err != nil {
		return nil, err
	}
	return func(value string) (verdict, error) {
		doc, fault := jsontree.Parse(value, jsontree.Limits{Depth: 100, Values: 100_000})
		if fault != nil {
			return verdict{}, errors.New(fault.Message)
		}
		violations, ok := s.Validate(doc.Root, &jsonschema.Budget{Steps: budget})
		if !ok {
			return verdict{}, errBudget
		}
		if len(violations) == 0 && s.Kinds&doc.Root.Kind == 0 {
			return verdict{}, errors.New("a valid value is of a kind that is said to be invalid")
		}
		return verdict{valid: len(violations) == 0, leaves: ourLeaves(violations)}, misplaced(doc.Root, violations)
	}, nil
}

// misplaced returns an error if a violation is not about the value that its path leads to.
func misplaced(root *jsontree.Node, violations []*jsonschema.Violation) error {
	for _, v := range violations {
		if at := root.Find(v.Path); at == nil || at != v.Value {
			return fmt.Errorf("the violation of %s at %q is about another value", v.Keyword, v.Path)
		}
		for _, branch := range v.Branches {
			if err := misplaced(root, branch); err != nil {
				return err
			}
		}
	}
	return nil
}

// ourLeaves is leaves for our violations.
func ourLeaves(violations []*jsonschema.Violation) []string {
	var found []string
	for _, v := range violations {
		at := jsontree.Pointer(v.Path...)
		switch v.Keyword {
		case "anyOf", "oneOf":
			var branches [][]string
			for _, branch := range v.Branches {
				branches = append(branches, ourLeaves(branch))
			}
			found = append(found, union(at, v.Keyword, branches))
		case "required":
			found = append(found, each(v.Names, func(name string) string { return at + " required " + name })...)
		case "dependentRequired":
			found = append(found, each(v.Names, func(name string) string { return at + " dependentRequired " + v.Given + " " + name })...)
		case "additionalProperties":
			found = append(found, each(v.Names, func(name string) string { return jsontree.Pointer(append(slices.Clone(v.Path), name)...) + " false" })...)
		case "propertyNames":
			found = append(found, propertyName(v.Path[len(v.Path)-1]))
		case "minContains":
			found = append(found, at+" contains")
		default:
			found = append(found, at+" "+v.Keyword)
		}
	}
	return sorted(found)
}
